"""Tools as learners write them, with questions and the calls expected."""

from typing import Any, Literal

from agentlab.tools import tool


@tool
def get_weather(city: str, unit: Literal["celsius", "fahrenheit"] = "celsius") -> str:
    """Get the current weather in a city."""
    return f"18 degrees in {city}, {unit}"


@tool
def add(a: float, b: float) -> float:
    """Add two numbers."""
    return a + b


@tool
def multiply(a: float, b: float) -> float:
    """Multiply two numbers and return the product."""
    return a * b


@tool
def calculator(expression: str) -> float:
    """Evaluate an arithmetic expression.

    Args:
        expression: for example 2 * (3 + 4).
    """
    return 0.0


@tool
def send_email(to: str, subject: str, body: str = "") -> str:
    """Send an e-mail message to someone.

    Args:
        to: the e-mail address of the recipient.
        subject: the subject line.
        body: the text of the message.
    """
    return "sent"


@tool
def translate(text: str, target_language: str) -> str:
    """Translate a text into another language."""
    return text


@tool
def book_table(restaurant: str, people: int, date: str, time: str) -> str:
    """Book a table at a restaurant.

    Args:
        restaurant: name of the restaurant.
        people: number of guests.
        date: the day, as YYYY-MM-DD.
        time: the time of day, as HH:MM.
    """
    return "booked"


@tool
def convert_temperature(
    value: float,
    from_unit: Literal["celsius", "fahrenheit", "kelvin"],
    to_unit: Literal["celsius", "fahrenheit", "kelvin"],
) -> float:
    """Convert a temperature from one unit to another."""
    return value


@tool
def search_web(query: str, max_results: int = 5) -> list[str]:
    """Search the web for pages about a topic."""
    return []


@tool
def set_timer(minutes: int) -> str:
    """Set a timer that rings after some minutes."""
    return "set"


@tool
def get_stock_price(symbol: str) -> float:
    """Get the current share price of a company by its ticker symbol, such as AAPL."""
    return 1.0


@tool
def find_flights(origin: str, destination: str, date: str | None = None) -> list[str]:
    """Find flights between two cities."""
    return []


@tool
def create_note(title: str, content: str, pinned: bool = False) -> str:
    """Save a note with a title and some content."""
    return "saved"


@tool
def get_time(city: str) -> str:
    """Tell what time it is now in a city."""
    return "12:00"


@tool
def count_words(text: str) -> int:
    """Count the words in a text."""
    return len(text.split())


@tool
def list_files() -> list[str]:
    """List the files in the current folder."""
    return []


@tool
def read_file(path: str) -> str:
    """Read a file and return what is in it."""
    return ""


@tool
def average(numbers: list[float]) -> float:
    """Compute the average of a list of numbers."""
    return 0.0


Calls = list[tuple[str, dict[str, Any]]]

QUESTIONS: list[tuple[list[Any], str, Calls]] = [
    ([get_weather], "What's the weather like in Paris?", [("get_weather", {"city": "Paris"})]),
    (
        [get_weather, get_time],
        "How warm is it in New York, in fahrenheit?",
        [("get_weather", {"city": "New York", "unit": "fahrenheit"})],
    ),
    ([get_weather, get_time], "what time is it in tokyo", [("get_time", {"city": "tokyo"})]),
    (
        [get_weather, get_time],
        "What is the weather in Baku and what time is it in London?",
        [("get_weather", {"city": "Baku"}), ("get_time", {"city": "London"})],
    ),
    (
        [get_weather],
        "Compare the weather in Rome and Milan.",
        [("get_weather", {"city": "Rome"}), ("get_weather", {"city": "Milan"})],
    ),
    ([add, multiply], "What is 2 plus 3?", [("add", {"a": 2, "b": 3})]),
    ([add, multiply], "Add 17 and 25.", [("add", {"a": 17, "b": 25})]),
    ([add, multiply], "Multiply 6 by 7.", [("multiply", {"a": 6, "b": 7})]),
    (
        [add, multiply],
        "Multiply 6 by 7 and add 2 and 3.",
        [("multiply", {"a": 6, "b": 7}), ("add", {"a": 2, "b": 3})],
    ),
    ([calculator, get_weather], "What is 12 * 7?", [("calculator", {"expression": "12 * 7"})]),
    (
        [calculator],
        "Calculate (3 + 4) * 2 please",
        [("calculator", {"expression": "(3 + 4) * 2"})],
    ),
    (
        [calculator, search_web],
        "How much is 23 times 17?",
        [("calculator", {"expression": "23 * 17"})],
    ),
    (
        [send_email, get_weather],
        'Send an email to bob@example.com with the subject "Lunch".',
        [("send_email", {"to": "bob@example.com", "subject": "Lunch"})],
    ),
    (
        [send_email, create_note],
        'Email ann@example.com, subject "Report", saying the report is ready.',
        [
            (
                "send_email",
                {"to": "ann@example.com", "subject": "Report", "body": "the report is ready"},
            )
        ],
    ),
    (
        [translate, count_words],
        "Translate 'good morning' into French.",
        [("translate", {"text": "good morning", "target_language": "French"})],
    ),
    (
        [translate, count_words],
        "How many words are in 'to be or not to be'?",
        [("count_words", {"text": "to be or not to be"})],
    ),
    (
        [book_table, get_weather],
        "Book a table for 4 people at Luigi's tomorrow at 7 pm.",
        [
            (
                "book_table",
                {"restaurant": "Luigi", "people": 4, "date": "2026-06-16", "time": "19:00"},
            )
        ],
    ),
    (
        [convert_temperature],
        "Convert 30 celsius to fahrenheit.",
        [
            (
                "convert_temperature",
                {"value": 30, "from_unit": "celsius", "to_unit": "fahrenheit"},
            )
        ],
    ),
    (
        [search_web, calculator],
        "Search the web for RAG best practices.",
        [("search_web", {"query": "RAG best practices"})],
    ),
    (
        [search_web, calculator],
        "Find me pages about solar panels",
        [("search_web", {"query": "solar panels"})],
    ),
    ([set_timer, get_time], "Set a timer for 10 minutes.", [("set_timer", {"minutes": 10})]),
    (
        [get_stock_price, search_web],
        "What is the share price of AAPL?",
        [("get_stock_price", {"symbol": "AAPL"})],
    ),
    (
        [find_flights, get_weather],
        "Find flights from Baku to Istanbul on 2026-07-01.",
        [
            (
                "find_flights",
                {"origin": "Baku", "destination": "Istanbul", "date": "2026-07-01"},
            )
        ],
    ),
    (
        [find_flights],
        "Are there any flights from Paris to Rome?",
        [("find_flights", {"origin": "Paris", "destination": "Rome"})],
    ),
    (
        [create_note, send_email],
        "Save a note titled Shopping: milk and bread",
        [("create_note", {"title": "Shopping", "content": "milk and bread"})],
    ),
    ([list_files, read_file], "Which files are here?", [("list_files", {})]),
    ([list_files, read_file], "Read notes.txt", [("read_file", {"path": "notes.txt"})]),
    (
        [average, add],
        "What is the average of 3, 5 and 10?",
        [("average", {"numbers": [3, 5, 10]})],
    ),
]

NO_TOOL: list[tuple[list[Any], str]] = [
    ([get_weather], "Hello there!"),
    ([get_weather], "Thanks a lot!"),
    ([get_weather, add], "Who wrote War and Peace?"),
    ([add, multiply], "What is your name?"),
    ([calculator], "Tell me about yourself."),
    ([send_email], "What is the weather in Paris?"),
]
