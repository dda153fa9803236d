"""Tools in the manner of real servers': good ones, and ones with a single fault each."""

from typing import Any

from agentlab import Tool, tool


def text(description: str, **more: Any) -> dict[str, Any]:
    return {"type": "string", "description": description, **more}


def number(description: str, **more: Any) -> dict[str, Any]:
    return {"type": "integer", "description": description, **more}


def defined(
    name: str, description: str, required: str = "", **properties: dict[str, Any]
) -> dict[str, Any]:
    schema = {"type": "object", "properties": properties, "required": required.split()}
    return {"name": name, "description": description, "input_schema": schema}


@tool
def cancel_subscription(customer_email: str, keep_until_period_ends: bool = True) -> str:
    """End a customer's subscription to the newsletter or the magazine.

    Use it when a customer no longer wants to be billed and gives their address. It does not pay
    anything back.

    Args:
        customer_email: The address the subscription runs under, e.g. ana@example.com.
        keep_until_period_ends: Whether the customer still gets what is already paid.
    """
    return f"ended: {customer_email}, {keep_until_period_ends}"


def measure_distance(start: str, destination: str) -> float:
    """Measure the distance between two towns along the road, in kilometres.

    Call it when someone asks how far it is from one town to another. It does not plan a route.

    Args:
        start: The town to begin at, e.g. Baku.
        destination: The town to arrive in, e.g. Ganja.
    """
    return float(len(start) + len(destination))


GOOD: list[Any] = [
    defined(
        "read_text_file",
        "Read a text file and return its content. Use it when the words in a file are needed. "
        "Pictures and other binary files cannot be read.",
        "path",
        path=text("Where the file lies, either absolute or below the project, e.g. src/app.py."),
        first_lines=number("How many lines from the top; all of them if left out."),
    ),
    defined(
        "list_directory",
        "List files and folders inside a directory, each with its size. Use it to find out what "
        "is there before opening anything. It does not look into subfolders.",
        "path",
        path=text("The directory, e.g. docs/images."),
    ),
    defined(
        "git_diff_branches",
        "Show which lines differ between two branches of the repository. Call it when someone "
        "asks what a branch changes. Uncommitted work is not part of it.",
        "base branch",
        base=text("The branch to compare with, e.g. main."),
        branch=text("The branch with the changes, e.g. fix/login."),
    ),
    defined(
        "git_commit_staged",
        "Record the staged changes in the history of the repository. Use it once the files are "
        "added and a message is agreed. It never pushes.",
        "message",
        message=text("What was changed and why; the first line has at most 72 characters."),
    ),
    defined(
        "create_issue",
        "Open a new issue in the project's tracker and return its number. Use it when a fault or "
        "a wish is reported that has no issue yet. It does not change existing ones.",
        "title",
        title=text("The fault or wish in one line."),
        body=text("How to see it, and what was expected."),
        kind=text("What it is: a bug or a feature.", enum=["bug", "feature"]),
        assignee=text("Who takes care of it, by their short name, e.g. leyla."),
    ),
    defined(
        "search_issues",
        "Find issues whose title or text holds certain words, the newest first. Call it before "
        "opening a new issue, or if someone asks whether a fault is known. Gives at most 20.",
        "words",
        words=text("What to look for, e.g. login timeout."),
        state=text("Which ones: open, closed or all.", enum=["open", "closed", "all"]),
    ),
    defined(
        "list_calendar_events",
        "Tell which appointments the user has on a day, with their times and places. Use it for "
        "questions about plans and meetings. It does not see other people's calendars.",
        "day",
        day=text("The day as YYYY-MM-DD, e.g. 2026-06-15.", format="date"),
    ),
    defined(
        "find_free_slots",
        "Find the times at which all participants are free on a given day. Use it when a meeting "
        "is to be arranged. It does not book anything.",
        "participants day",
        participants={
            "type": "array",
            "items": {"type": "string"},
            "description": "E-mail addresses of those who must attend.",
        },
        day=text("The day as YYYY-MM-DD.", format="date"),
        minutes=number("How long the meeting takes; 30 if left out."),
    ),
    defined(
        "plan_route",
        "Work out the way from one address to another and how long it takes. Use it when someone "
        "asks how to get somewhere. Traffic of the moment is not considered.",
        "start destination",
        start=text("The address to leave from."),
        destination=text("The address to arrive at."),
        vehicle=text("How one travels.", enum=["foot", "bicycle", "car"]),
    ),
    defined(
        "find_places_nearby",
        "Look for shops, cafés, pharmacies and the like around an address. Call it when someone "
        "wants to know what there is near a place. Returns names and distances, up to ten.",
        "kind address",
        kind=text("The kind of place, such as pharmacy, petrol station or café."),
        address=text("Around which address."),
        radius=number("How far to look, in metres."),
    ),
    defined(
        "run_select_query",
        "Run a SELECT statement on the sales database and return the rows. Use it when a question "
        "needs figures from orders or customers. Statements that change rows are refused.",
        "sql",
        sql=text("One SELECT statement in SQLite's dialect."),
    ),
    defined(
        "describe_table",
        "Tell the columns of a database table with their types. Use it before writing a query for "
        "a table that is not known yet. It shows no rows.",
        "table",
        table=text("The table's name, one of those that list_tables gives."),
    ),
    defined(
        "post_channel_message",
        "Post a message in a channel of the team's chat, for all its members to read. Use it when "
        "the user asks to announce or tell something to a team. It does not write to one person.",
        "channel message",
        channel=text("The channel's name without the hash, e.g. releases."),
        message=text("The words to post."),
    ),
    defined(
        "get_weather_forecast",
        "Forecast temperature and rain for a town over the coming days. Call it for questions "
        "about the weather ahead. It does not know past weather.",
        "town",
        town=text("The town, e.g. Lisbon."),
        days=number("How many days ahead, 1 to 7."),
    ),
    defined(
        "translate_text",
        "Translate a passage into another language, keeping its paragraphs. Use it when the user "
        "wants a text in a language it is not written in. It does not correct mistakes.",
        "passage language",
        passage=text("The words to translate."),
        language=text("Into which language, as a two-letter code.", pattern="^[a-z]{2}$"),
    ),
    defined(
        "fetch_web_page",
        "Download a page of the web and return its text without the markup. Use it if the user "
        "gives an address and asks what is written there. Pages behind a login fail.",
        "url",
        url=text("The whole address, beginning with https.", format="uri"),
    ),
    defined(
        "convert_measurement",
        "Convert a measurement between metric and imperial units. Use it for questions like how "
        "many feet a metre has. It does not convert money.",
        "amount unit target_unit",
        amount={"type": "number", "description": "How much, e.g. 12.5."},
        unit=text("The unit it is in now.", enum=["m", "ft", "kg", "lb"]),
        target_unit=text("The unit wanted.", enum=["m", "ft", "kg", "lb"]),
    ),
    defined(
        "search_flights",
        "Search for flights between two airports on a date and tell their prices. Call it when "
        "someone wants to know how they could fly. Nothing is booked.",
        "origin destination date",
        origin=text("The airport to leave from, by its code, e.g. GYD."),
        destination=text("The airport to arrive at, by its code, e.g. IST."),
        date=text("The day of the flight as YYYY-MM-DD.", format="date"),
        passengers=number("How many travel; 1 if left out."),
    ),
    defined(
        "reserve_restaurant_table",
        "Reserve a table in a restaurant under the user's name. Use it when the restaurant, the "
        "time and the number of guests are settled. It cannot order food.",
        "restaurant time",
        restaurant=text("The restaurant's name and town."),
        time=text("Date and time, e.g. 2026-06-15T19:30.", format="date-time"),
        guests=number("How many people come; 2 if left out."),
        wishes=text("What the restaurant should know, such as a high chair or allergies."),
    ),
    defined(
        "resize_picture",
        "Make a picture smaller or larger and store it beside the original. Use it when a picture "
        "must fit a certain width. The original is not changed.",
        "path width",
        path=text("The picture's file, in PNG or JPEG format."),
        width=number("The new width in pixels; the height follows."),
    ),
    defined(
        "get_share_price",
        "Tell the latest price of a company's share at its home exchange. Call it if someone asks "
        "what a share costs. Prices are up to 15 minutes old.",
        "symbol",
        symbol=text("The share's symbol, e.g. SAP."),
    ),
    defined(
        "draft_invoice",
        "Draft an invoice for a customer from the hours recorded this month. Use it when the user "
        "wants to bill a customer. The draft is not sent.",
        "customer",
        customer=text("The customer's name as in the address book."),
        note=text("A sentence to print below the total."),
    ),
    defined(
        "remember_preference",
        "Store something the user likes or dislikes, for later conversations. Call it when the "
        "user states a lasting preference. Passwords must not be stored.",
        "preference",
        preference=text("The preference in one sentence."),
    ),
    cancel_subscription,
    measure_distance,
]


def twin_of_search_issues() -> dict[str, Any]:
    return defined(
        "find_issues",
        "Search the issues whose title or description contains certain words, newest first. Use "
        "it before opening a new issue, or when someone asks for a known fault. Returns up to 20.",
        "words",
        words=text("What to look for, e.g. crash on start."),
    )


def archive_order(order_id: str, reason: str = "") -> str:
    """Move a finished order into the archive, where the sales team no longer sees it.

    Use it when an order is older than a year. It does not delete anything.

    Args:
        order_id: The order's number, e.g. SP-1024.
        comment: Why it is moved.
    """
    return order_id + reason


def rename_branch(branch: str, new_name: str) -> str:
    """Give a branch of the repository another name, locally and on the server.

    Use it when the user is unhappy with what a branch is called. It does not move commits.

    Args:
        branch: The branch as it is called now, e.g. fix/login.
    """
    return branch + new_name


ORDER_ID = text("The order's number, e.g. SP-1024.")
PATH = text("Where the file lies, e.g. src/app.py.")

WEAK: list[tuple[str, Any]] = [
    (
        "vague-name",
        defined(
            "process_data",
            "Convert a spreadsheet into a CSV file in the same folder. Use it when a program "
            "cannot read spreadsheets. Formulas are not kept.",
            "path",
            path=PATH,
        ),
    ),
    (
        "vague-name",
        defined(
            "handleRequest",
            "Reset the password of a customer and send them a link. Use it when a customer cannot "
            "log in. It does not unlock blocked accounts.",
            "customer_email",
            customer_email=text("The customer's address, e.g. ana@example.com."),
        ),
    ),
    (
        "one-word-name",
        defined(
            "weather",
            "Tell the temperature and the wind in a town at this moment. Use it when someone asks "
            "what it is like outside. It does not forecast.",
            "town",
            town=text("The town, e.g. Lisbon."),
        ),
    ),
    (
        "one-word-name",
        defined(
            "branches",
            "List the branches of the repository with their last commits. Use it when a branch is "
            "looked for. Deleted branches are not shown.",
        ),
    ),
    ("no-purpose", defined("delete_file", "", "path", path=PATH)),
    ("no-purpose", defined("get_order_status", "Gets the order status.", "o", o=ORDER_ID)),
    ("no-purpose", defined("send_email", "Send an email", "body", body=text("The words."))),
    ("vague-description", defined("close_ticket", "Only use to close things.", "t", t=ORDER_ID)),
    (
        "vague-description",
        defined(
            "query_customers",
            "Handles data. Use it when data is needed from the system. It returns the results.",
            "email",
            email=text("The customer's address."),
        ),
    ),
    (
        "vague-description",
        defined(
            "sync_calendar",
            "A useful helper for various tasks. Call it when the user needs something done. It "
            "does not do other tasks.",
            "day",
            day=text("The day as YYYY-MM-DD.", format="date"),
        ),
    ),
    (
        "no-when",
        defined(
            "count_words",
            "Count the words of a text file, headings included. Returns a whole number. Pictures "
            "are not read.",
            "path",
            path=PATH,
        ),
    ),
    (
        "no-when",
        defined(
            "list_pull_requests",
            "List the open pull requests of the repository with author and title. An empty list "
            "is returned where nothing is open.",
        ),
    ),
    (
        "no-limit",
        defined(
            "move_event",
            "Move a meeting in the calendar to another day. Use it when the user wants to "
            "postpone an appointment.",
            "title day",
            title=text("What the meeting is called."),
            day=text("The new day as YYYY-MM-DD.", format="date"),
        ),
    ),
    (
        "no-limit",
        defined(
            "mute_channel",
            "Silence a channel of the team's chat for the user. Call it when the user is "
            "disturbed by messages.",
            "channel",
            channel=text("The channel's name, e.g. releases."),
        ),
    ),
    (
        "undescribed-parameter",
        defined(
            "refund_order",
            "Pay the price of an order back to the customer. Use it when goods arrived broken. "
            "It cannot be undone.",
            "order_id reason",
            order_id=ORDER_ID,
            reason={"type": "string"},
        ),
    ),
    (
        "undescribed-parameter",
        defined(
            "copy_folder",
            "Copy a folder with all its files to another place. Use it before files are changed. "
            "Existing files are not replaced.",
            "a b",
            a={"type": "string"},
            b={"type": "string", "description": ""},
        ),
    ),
    (
        "everything-required",
        defined(
            "create_event",
            "Put an appointment into the user's calendar. Use it when a time is settled. It does "
            "not invite anybody.",
            "title day place reminder",
            title=text("What it is called."),
            day=text("The day as YYYY-MM-DD.", format="date"),
            place=text("Where it takes place."),
            reminder=number("Minutes before it at which to remind."),
        ),
    ),
    (
        "everything-required",
        defined(
            "search_hotels",
            "Search for hotels in a town and tell their prices. Call it when someone needs a room. "
            "Nothing is booked.",
            "town arrival nights stars breakfast",
            town=text("The town, e.g. Lisbon."),
            arrival=text("The first day as YYYY-MM-DD.", format="date"),
            nights=number("How many nights."),
            stars=number("How many stars at least."),
            breakfast={"type": "boolean", "description": "Whether breakfast is wanted."},
        ),
    ),
    (
        "enum-in-prose",
        defined(
            "set_ticket_priority",
            "Change how urgent a support ticket is. Use it when the user asks for it. It does not "
            "assign the ticket.",
            "ticket priority",
            ticket=text("The ticket's number, e.g. T-88."),
            priority=text("One of low, normal, high or urgent."),
        ),
    ),
    (
        "enum-in-prose",
        defined(
            "export_report",
            "Store the monthly sales report as a file. Use it when the report is to be passed on. "
            "It does not send it.",
            "format",
            format=text("The file's format. Allowed values: pdf | xlsx | csv."),
        ),
    ),
    (
        "enum-in-prose",
        defined(
            "sort_inbox",
            "Bring the user's mails into an order. Use it when the user cannot find a mail. "
            "Nothing is deleted.",
            "direction",
            direction=text("Must be 'ascending' or 'descending'."),
        ),
    ),
    ("look-alike", twin_of_search_issues()),
    ("docstring-mismatch", archive_order),
    ("docstring-mismatch", rename_branch),
    (
        "too-long",
        defined(
            "book_meeting_room",
            "Book a meeting room in the office. Use it when a meeting needs a place. It does not "
            "invite anybody. "
            + "The room on the third floor has a large window to the park. "
            * 32,
            "room",
            room=text("The room's name, e.g. Caspian."),
        ),
    ),
]
"""Each with the rule that it breaks."""

COMPANION = {"docstring-mismatch": "undescribed-parameter"}
"""A fault that brings another along: what the docstring leaves out is described nowhere."""

assert isinstance(cancel_subscription, Tool)
