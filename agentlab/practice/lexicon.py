"""Word lists of the practice model: what it knows about language by heart, and nothing more."""

# ruff: noqa: RUF001 - letters of several alphabets are meant as they are

import re


def words(text: str) -> frozenset[str]:
    """The words of `text`, to look others up in."""
    return frozenset(text.split())


NUMBER_WORDS = {
    word: number
    for number, words in {
        1: "one один одна bir",
        2: "two два две iki",
        3: "three три üç",
        4: "four четыре dörd",
        5: "five пять beş",
        6: "six шесть altı",
        7: "seven семь yeddi",
        8: "eight восемь səkkiz",
        9: "nine девять doqquz",
        10: "ten десять",
        11: "eleven",
        12: "twelve dozen дюжина",
        13: "thirteen",
        14: "fourteen",
        15: "fifteen",
        16: "sixteen",
        17: "seventeen",
        18: "eighteen",
        19: "nineteen",
        20: "twenty двадцать iyirmi",
        30: "thirty",
        40: "forty",
        50: "fifty",
        60: "sixty",
        70: "seventy",
        80: "eighty",
        90: "ninety",
        100: "hundred сто yüz",
        1000: "thousand",
        1_000_000: "million",
    }.items()
    for word in words.split()
}

CURRENCIES = {
    "USD": r"(?:us )?dollar\w*|bucks|доллар\w*|美元|\$",
    "EUR": r"euros?|avro\w*|евро|欧元|€",
    "AZN": r"manat\w*|манат\w*|马纳特|₼",
    "GBP": r"(?:british )?pounds?(?: sterling)?|фунт\w*|英镑|£",
    "TRY": r"(?:turkish )?lir(?:a|ə)\w*|(?:турецк\w+ )?лир\w*|里拉|₺",
    "RUB": r"rou?b(?:les?|l\w*)|рубл\w*|卢布|₽",
    "CNY": r"yuan\w*|renminbi|юан\w*|人民币",
    "JPY": r"yens?|иен\w*|日元|¥",
    "CHF": r"(?:swiss )?francs?|(?:швейцарск\w+ )?франк\w*|瑞士法郎",
    "INR": r"rupees?|₹",
    "GEL": r"laris?|₾",
    "KZT": r"tenges?|тенге|₸",
    "UAH": r"hryvnias?|гривн\w*|₴",
    "PLN": r"zloty\w*|злот\w*",
    "SEK": r"(?:swedish )?kron(?:a|or)",
    "CAD": r"canadian dollars?",
    "AUD": r"australian dollars?",
    "BRL": r"reais|brazilian reals?",
    "KRW": r"(?:korean )?won",
}
LONGER_FIRST = ("CAD", "AUD")  # "canadian dollars" must be looked for before "dollars"

CURRENCY = re.compile(
    "|".join(
        f"(?P<{code}>(?<![A-Za-zА-Яа-яəƏ])(?:{code}|{CURRENCIES[code]})"
        r"(?![A-Za-zА-Яа-яəƏ]))"
        for code in sorted(CURRENCIES, key=lambda code: code not in LONGER_FIRST)
    ),
    re.IGNORECASE,
)

WEEKDAYS = (
    "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
)  # fmt: skip
MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september",
    "october", "november", "december",
)  # fmt: skip

NOT_NAMES = frozenset(WEEKDAYS + MONTHS) | words(
    """
    i i'm i'd i'll i've ok pdf url id mr mrs ms dr please also and but the a an today tomorrow
    tonight
    """
)
"""Words with a capital letter that name no place, person or thing."""

STOP_WORDS = words(
    """
    a an the this that these those some any my your our his her its their me you he she it we
    they i us them is are was were be been being am do does did has have had can could will
    would shall should may might must not no and or but if then so because as of in on at to
    from for with by about into over under up down out off than too very just also still yet
    already now please what which who whom whose when where why how there here all each every
    more most much many few other another such own same get got let s t don doesn didn isn
    aren wasn weren won i'm i'd i'll i've it's what's who's where's how's don't doesn't didn't
    isn't can't you're
    """
)

FRAME_WORDS = STOP_WORDS | words(
    """
    tell show give find search look looking up lookup list need want wanted like know check
    see send help kindly hello hi hey thanks thank find fetch retrieve return called named
    titled explain describe say buy order cost costs price sell offer available something
    someone anything information info details detail question answer ask asking page pages
    article articles research investigate write report summary summarise summarize latest
    recent current today right web internet online google moment present days
    у вас вы мы я мне нам вам есть ли ищу найти продаётся продаются продаете продаёте купить хочу
    нужен нужна нужны нужно имеется наличии сколько стоит стоят какой какая какие это в на и
    sizdə sizin bizə mən mənə var varmı yox satılır satırsınız axtarıram almaq istəyirəm lazımdır
    neçəyədir neçəyə qiyməti nədir stokda mövcuddur bu bir
    """
)
"""Words at the edge of a question that frame what is asked about but are not it."""

REQUEST_WORDS = words(
    """
    what which who whose when where why how is are was were does do did can could will would
    should has have had may might am any tell show give find search look list check see send
    convert turn change calculate compute work track trace follow refund return cancel stop
    call book order buy reserve add sum multiply divide subtract translate write create make
    delete remove update set get fetch read open close start play pause schedule remind email
    mail message pay transfer summarise summarize compare explain describe help let pull print
    """
)
"""First words of a clause that asks for something of its own."""

CHINESE_FRAME = re.compile(
    r"^(?:请问|请|你们|您|这里|我们|我|想要|想|要|需要|帮忙|帮|找|搜索|查找|买|卖|有没有|有|还)+|"
    r"(?:吗|呢|吧|么|啊|的|卖|有货|有售|现货|多少钱|什么价格|[？?。！])+$"
)
"""The same in Chinese, where no spaces part the words."""

CITIES_WITHOUT_CAPITALS = words(
    """
    巴库 占贾 苏姆盖特 巴黎 柏林 罗马 米兰 伦敦 东京 北京 上海 广州 深圳 香港 伊斯坦布尔
    第比利斯 莫斯科 奥斯陆 里斯本 马德里 维也纳 纽约 首尔 赫尔辛基 新加坡 悉尼
    """
)
"""Chinese has neither capital letters nor spaces, so a place must be known to be found."""

KNOWN_CITIES = CITIES_WITHOUT_CAPITALS | words(
    """
    bakı gəncə sumqayıt şəki lənkəran naxçıvan şuşa баку гянджа сумгаит москва тбилиси стамбул
    париж берлин рим милан лондон токио пекин мадрид вена осло
    """
)
"""Cities that are known for one even where they only begin a sentence."""

UNITS = words(
    """
    celsius fahrenheit kelvin metric imperial kilometers kilometres miles meters metres feet
    inches centimeters centimetres km cm mm kg kilograms grams pounds ounces liters litres
    gallons seconds minutes hours days weeks months years
    """
)

LANGUAGES = words(
    """
    english french german spanish italian portuguese dutch polish russian ukrainian turkish
    azerbaijani azeri arabic persian hebrew hindi chinese mandarin japanese korean vietnamese
    thai greek latin swedish norwegian danish finnish czech hungarian romanian georgian
    """
)
