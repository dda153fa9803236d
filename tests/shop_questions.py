"""Questions to the shop and the calls that answer them, written before the model was tuned."""

from typing import Any

Calls = list[tuple[str, dict[str, Any]]]


def status(*order_ids: str) -> Calls:
    return [("get_order_status", {"order_id": each}) for each in order_ids]


def track(number: str) -> Calls:
    return [("track_shipment", {"tracking_number": number})]


def orders(email: str) -> Calls:
    return [("find_orders", {"customer_email": email})]


def balance(email: str) -> Calls:
    return [("check_balance", {"customer_email": email})]


def products(query: str) -> Calls:
    return [("search_products", {"query": query})]


def price(unit_price: float, quantity: int, **discount: float) -> Calls:
    return [("calculate_price", {"unit_price": unit_price, "quantity": quantity, **discount})]


def convert(amount: float, source: str, target: str) -> Calls:
    currencies = {"from_currency": source, "to_currency": target}
    return [("convert_currency", {"amount": amount, **currencies})]


def refund(order_id: str, reason: str) -> Calls:
    return [("refund_order", {"order_id": order_id, "reason": reason})]


QUESTIONS: list[tuple[str, Calls]] = [
    # orders
    ("Where is my order SP-1024?", status("SP-1024")),
    ("What is the status of order SP-1025?", status("SP-1025")),
    ("Has SP-1027 been packed already?", status("SP-1027")),
    ("Can you check order sp-1031 for me, please?", status("SP-1031")),
    ("Did my payment for SP-1031 arrive?", status("SP-1031")),
    ("I ordered a lamp last week, number SP-1024. How far along is it?", status("SP-1024")),
    ("what's happening with SP 1028", status("SP-1028")),
    ("Is SP-1030 cancelled?", status("SP-1030")),
    ("What did I buy in order SP-1035?", status("SP-1035")),
    ("How is SP-9999 coming along?", status("SP-9999")),
    # parcels
    ("Where is parcel TRK-88213?", track("TRK-88213")),
    ("When will TRK-88207 arrive?", track("TRK-88207")),
    ("Track TRK-88155 please.", track("TRK-88155")),
    ("My package hasn't come yet, the label says TRK-88213.", track("TRK-88213")),
    ("Which day will trk-88207 be at my door?", track("TRK-88207")),
    ("Who is delivering TRK-88190?", track("TRK-88190")),
    # customers
    ("Which orders does leyla@example.com have?", orders("leyla@example.com")),
    ("List all purchases of tom@example.com.", orders("tom@example.com")),
    ("I forgot my order number, my e-mail is mei@example.com.", orders("mei@example.com")),
    ("Show me everything olga@example.com has ordered so far", orders("olga@example.com")),
    ("How many bonus points does mei@example.com have?", balance("mei@example.com")),
    ("How much store credit is left for leyla@example.com?", balance("leyla@example.com")),
    ("What is my balance? I am sara@example.com.", balance("sara@example.com")),
    ("Can olga@example.com still spend some credit?", balance("olga@example.com")),
    # products
    ("Do you have a desk lamp in stock?", products("desk lamp")),
    ("How much is the oak desk?", products("oak desk")),
    ("Do you sell headphones?", products("headphones")),
    ("What does the steel kettle cost?", products("steel kettle")),
    ("Is the coffee grinder available?", products("coffee grinder")),
    ("I am looking for a wool blanket.", products("wool blanket")),
    # prices
    ("What do 3 cups at 12.50 each cost?", price(12.5, 3)),
    ("How much are 8 chairs at 45 with a 10% discount?", price(45, 8, discount_percent=10)),
    ("Total for 12 towels, 12.50 apiece?", price(12.5, 12)),
    ("If one blanket is 72, what do two come to?", price(72, 2)),
    (
        "Work out the price of 5 lamps at 39.90 with 15 percent off.",
        price(39.9, 5, discount_percent=15),
    ),
    # currencies
    ("How much is 100 USD in AZN?", convert(100, "USD", "AZN")),
    ("Convert 250 euros to manat.", convert(250, "EUR", "AZN")),
    ("What are 80 manat worth in Turkish lira?", convert(80, "AZN", "TRY")),
    ("I have 50 pounds, how many dollars is that?", convert(50, "GBP", "USD")),
    ("Change 5000 roubles into yuan.", convert(5000, "RUB", "CNY")),
    ("How many manat do I get for 20 dollars?", convert(20, "USD", "AZN")),
    # refunds
    ("I want my money back for SP-1026, the headphones are broken.", refund("SP-1026", "damaged")),
    ("Please refund SP-1029, I don't need the kettle any more.", refund("SP-1029", "changed_mind")),
    ("SP-1034 was the wrong charger, I'd like to return it.", refund("SP-1034", "wrong_item")),
    ("Order SP-1035 came far too late, pay me back.", refund("SP-1035", "late")),
    ("The tea set in SP-1035 arrived cracked. Give me a refund.", refund("SP-1035", "damaged")),
]

SEVERAL: list[tuple[str, Calls]] = [
    ("Where is SP-1024 and what do 3 cups at 12.50 cost?", status("SP-1024") + price(12.5, 3)),
    ("What is the status of SP-1024 and SP-1025?", status("SP-1024", "SP-1025")),
    ("SP-1026, SP-1027 and SP-1028: how far are they?", status("SP-1026", "SP-1027", "SP-1028")),
    (
        "Convert 100 dollars to manat and track TRK-88213.",
        convert(100, "USD", "AZN") + track("TRK-88213"),
    ),
    (
        "Do you have a bookshelf? Also, how many points does tom@example.com have?",
        products("bookshelf") + balance("tom@example.com"),
    ),
    (
        "Where is TRK-88207; which orders does mei@example.com have?",
        track("TRK-88207") + orders("mei@example.com"),
    ),
    (
        "Refund SP-1026 because it is broken, and tell me the balance of tom@example.com.",
        refund("SP-1026", "damaged") + balance("tom@example.com"),
    ),
    (
        "What is 20 euros in manat, what is 30 dollars in manat?",
        convert(20, "EUR", "AZN") + convert(30, "USD", "AZN"),
    ),
]

NO_TOOL = [
    "Hello!",
    "Hi, how are you today?",
    "Thank you, that was very helpful.",
    "Who are you?",
    "Are you a real person?",
    "Tell me a joke.",
    "What is the capital of Australia?",
    "Write me a poem about autumn.",
    "What will the weather be in Baku tomorrow?",
    "Goodbye!",
    "I am so tired today.",
    "Who won the football match last night?",
]

MISSING: list[tuple[str, str]] = [
    # a question that lacks what its tool needs, and a word of the sentence that asks for it
    ("Where is my order?", "order number|e-mail"),
    ("I want to know where my parcel is.", "tracking number"),
    ("How many bonus points do I have?", "e-mail"),
    ("I want a refund, the kettle is broken.", "order number"),
    ("Can you track my package?", "tracking number"),
]

UNTUNED: list[tuple[str, Calls]] = [
    # written after the model was tuned on the lists above; held to a share, not one by one
    ("Any update on my order SP-1024?", status("SP-1024")),
    ("I'd like to know what state SP-1027 is in.", status("SP-1027")),
    ("Has anybody started packing SP-1031 yet?", status("SP-1031")),
    ("Is my purchase SP-1025 confirmed and paid?", status("SP-1025")),
    ("Please look up order number SP-1033.", status("SP-1033")),
    ("How much did I pay for SP-1028?", status("SP-1028")),
    ("The courier gave me TRK-88207. Is it close?", track("TRK-88207")),
    ("Locate TRK-88155 for me.", track("TRK-88155")),
    ("TRK-88213 was supposed to be here today, what happened?", track("TRK-88213")),
    ("Expected delivery for TRK-88207?", track("TRK-88207")),
    ("What has tom@example.com bought from you?", orders("tom@example.com")),
    ("Give me the order history of olga@example.com.", orders("olga@example.com")),
    ("Can't find my order number. My address is leyla@example.com", orders("leyla@example.com")),
    ("Do I have any loyalty points left? mei@example.com", balance("mei@example.com")),
    ("Account balance for tom@example.com, please.", balance("tom@example.com")),
    ("What can sara@example.com still spend?", balance("sara@example.com")),
    ("Have you got towels?", products("towels")),
    ("Price of the bookshelf?", products("bookshelf")),
    ("Are wireless headphones in stock?", products("wireless headphones")),
    ("Do you offer office chairs?", products("office chairs")),
    ("Is there a tea set I could buy?", products("tea set")),
    ("What would 6 towels at 12.50 come to?", price(12.5, 6)),
    ("4 chairs, 175 each, 20% off. What do I pay?", price(175, 4, discount_percent=20)),
    ("Add up 10 chargers for 19.90 apiece", price(19.9, 10)),
    ("One lamp costs 39.90; how much for seven?", price(39.9, 7)),
    ("What's 300 euros in pounds?", convert(300, "EUR", "GBP")),
    ("1000 yuan to manat please", convert(1000, "CNY", "AZN")),
    ("How many lira would I get for 60 dollars?", convert(60, "USD", "TRY")),
    ("Exchange 45 GBP into EUR.", convert(45, "GBP", "EUR")),
    ("My charger from SP-1034 does not work, I want a refund.", refund("SP-1034", "damaged")),
    (
        "You sent me the wrong kettle in SP-1029. I want my money back.",
        refund("SP-1029", "wrong_item"),
    ),
    (
        "SP-1026: I no longer need the headphones, please return my money.",
        refund("SP-1026", "changed_mind"),
    ),
    ("Reimburse me for SP-1035, it arrived much too late.", refund("SP-1035", "late")),
    ("Track TRK-88190 and check SP-1031.", track("TRK-88190") + status("SP-1031")),
    (
        "Do you sell kettles, and how much is 20 dollars in manat?",
        products("kettles") + convert(20, "USD", "AZN"),
    ),
    (
        "How many points does olga@example.com have and where is TRK-88155?",
        balance("olga@example.com") + track("TRK-88155"),
    ),
    ("Compare SP-1029 with SP-1030.", status("SP-1029", "SP-1030")),
    ("Can you sing?", []),
    ("What do you think about politics?", []),
    ("Nice to meet you!", []),
    ("How tall is Mount Everest?", []),
    ("I'm bored.", []),
    ("See you tomorrow.", []),
    ("Recommend me a good film.", []),
]
