"""The lessons' world: a small online shop with a real database, and the tools an agent gets for it.

The shop is the same on every computer and on every day: its today is `TODAY`, and the database
is built from the rows in this file on first use. A refund really changes it; `reset` undoes that.
"""

import re
import sqlite3
import threading
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal

from agentlab import tools
from agentlab.tools import Tool, tool

TODAY = "2026-06-15"
"""The day on which everything in the shop happens."""

Currency = Literal["AZN", "USD", "EUR", "GBP", "TRY", "RUB", "CNY"]

RefundReason = Literal["damaged", "wrong_item", "late", "changed_mind"]

SCHEMA = """
CREATE TABLE customers (email TEXT PRIMARY KEY, name TEXT, credit_cents INTEGER, points INTEGER);
CREATE TABLE products (sku TEXT PRIMARY KEY, name TEXT, category TEXT, price_cents INTEGER,
                       stock INTEGER);
CREATE TABLE orders (id TEXT PRIMARY KEY, email TEXT REFERENCES customers, status TEXT,
                     order_date TEXT);
CREATE TABLE order_items (order_id TEXT REFERENCES orders, sku TEXT REFERENCES products,
                          quantity INTEGER);
CREATE TABLE shipments (tracking_number TEXT PRIMARY KEY, order_id TEXT REFERENCES orders,
                        carrier TEXT, status TEXT, location TEXT, expected_date TEXT);
CREATE TABLE refunds (order_id TEXT REFERENCES orders, reason TEXT, cents INTEGER, made_on TEXT);
CREATE TABLE exchange_rates (currency TEXT PRIMARY KEY, azn_per_unit REAL);
"""

ROWS: dict[str, list[tuple[Any, ...]]] = {
    "customers": [
        ("leyla@example.com", "Leyla Aliyeva", 4_500, 320),
        ("tom@example.com", "Tom Baker", 0, 75),
        ("mei@example.com", "Mei Chen", 12_050, 1_240),
        ("olga@example.com", "Olga Ivanova", 900, 0),
        ("sara@example.com", "Sara Lind", 0, 15),
    ],
    "products": [
        ("P-101", "desk lamp", "lighting", 3_990, 14),
        ("P-102", "reading lamp", "lighting", 2_450, 0),
        ("P-201", "oak desk", "furniture", 28_900, 3),
        ("P-202", "office chair", "furniture", 17_500, 6),
        ("P-203", "bookshelf", "furniture", 11_900, 2),
        ("P-301", "tea set", "kitchen", 6_400, 9),
        ("P-302", "coffee grinder", "kitchen", 5_250, 0),
        ("P-303", "steel kettle", "kitchen", 4_800, 21),
        ("P-401", "wireless headphones", "electronics", 12_900, 5),
        ("P-402", "phone charger", "electronics", 1_990, 40),
        ("P-501", "wool blanket", "textiles", 7_200, 11),
        ("P-502", "cotton towel", "textiles", 1_250, 60),
    ],
    "orders": [
        ("SP-1024", "leyla@example.com", "shipped", "2026-06-10"),
        ("SP-1025", "leyla@example.com", "packed", "2026-06-14"),
        ("SP-1026", "tom@example.com", "delivered", "2026-06-02"),
        ("SP-1027", "tom@example.com", "received", "2026-06-15"),
        ("SP-1028", "mei@example.com", "shipped", "2026-06-09"),
        ("SP-1029", "mei@example.com", "delivered", "2026-05-20"),
        ("SP-1030", "mei@example.com", "cancelled", "2026-05-28"),
        ("SP-1031", "olga@example.com", "paid", "2026-06-13"),
        ("SP-1032", "olga@example.com", "shipped", "2026-06-05"),
        ("SP-1033", "olga@example.com", "refunded", "2026-04-30"),
        ("SP-1034", "tom@example.com", "delivered", "2026-06-08"),
        ("SP-1035", "leyla@example.com", "delivered", "2026-05-11"),
    ],
    "order_items": [
        ("SP-1024", "P-101", 1),
        ("SP-1024", "P-501", 2),
        ("SP-1025", "P-301", 1),
        ("SP-1026", "P-401", 1),
        ("SP-1027", "P-203", 1),
        ("SP-1027", "P-402", 2),
        ("SP-1028", "P-201", 1),
        ("SP-1029", "P-303", 1),
        ("SP-1030", "P-302", 1),
        ("SP-1031", "P-202", 2),
        ("SP-1032", "P-502", 6),
        ("SP-1033", "P-102", 1),
        ("SP-1034", "P-402", 1),
        ("SP-1035", "P-301", 1),
        ("SP-1035", "P-303", 1),
    ],
    "shipments": [
        ("TRK-88213", "SP-1024", "DHL", "in transit", "Tbilisi sorting centre", "2026-06-17"),
        ("TRK-88190", "SP-1026", "UPS", "delivered", "front door", "2026-06-05"),
        ("TRK-88207", "SP-1028", "Azerpost", "held at customs", "Baku customs", "2026-06-19"),
        ("TRK-87950", "SP-1029", "DHL", "delivered", "neighbour", "2026-05-24"),
        ("TRK-88155", "SP-1032", "Azerpost", "lost", "unknown", "2026-06-11"),
        ("TRK-88201", "SP-1034", "UPS", "delivered", "parcel locker", "2026-06-11"),
        ("TRK-87811", "SP-1035", "DHL", "delivered", "front door", "2026-05-15"),
    ],
    "refunds": [("SP-1033", "damaged", 2_450, "2026-05-06")],
    "exchange_rates": [
        ("AZN", 1.0),
        ("USD", 1.70),
        ("EUR", 1.85),
        ("GBP", 2.15),
        ("TRY", 0.045),
        ("RUB", 0.0185),
        ("CNY", 0.235),
    ],
}


class Shop:
    """One shop with its own database: what happens in it is seen in no other.

    Args:
        path: a file to keep the database in; without it, it lives in memory. A file that already
            holds a shop is used as it is.
    """

    def __init__(self, path: str | Path = ":memory:") -> None:
        self.path = path
        self._lock = threading.Lock()  # a loop may run its tools in another thread than the cell's

    def __repr__(self) -> str:
        return f"Shop({str(self.path)!r}, today={TODAY})"

    @cached_property
    def tools(self) -> list[Tool]:
        """The shop's functions as tools; only the refund needs a person's yes."""
        return [
            tool(self.get_order_status),
            tool(self.track_shipment),
            tool(self.find_orders),
            tool(self.search_products),
            tool(self.check_balance),
            tool(self.calculate_price),
            tool(self.convert_currency),
            self.refund_order,
        ]

    @cached_property
    def database(self) -> sqlite3.Connection:
        """The database itself, for looking into with SQL."""
        connection = sqlite3.connect(self.path, check_same_thread=False)
        connection.row_factory = sqlite3.Row
        if not connection.execute("SELECT 1 FROM sqlite_master").fetchone():
            _build(connection)
        return connection

    def reset(self) -> None:
        """Make everything as it was in the beginning."""
        with self._lock:
            for table in reversed(ROWS):
                self.database.execute(f"DROP TABLE IF EXISTS {table}")
            _build(self.database)

    def close(self) -> None:
        """Close the database; the next use opens it again, and one in memory starts afresh."""
        with self._lock:
            connection = self.__dict__.pop("database", None)
            if connection is not None:
                connection.close()

    def get_order_status(self, order_id: str) -> dict[str, Any]:
        """Tell how far an order has come: received, paid, packed, shipped, delivered or cancelled.

        Call it when the customer asks about an order or a purchase and gives its order number.
        Also gives the items, the total price and the tracking number once there is one.
        Does not say where a parcel is now.

        Args:
            order_id: The order number: the letters SP, a dash and four digits, e.g. SP-1024.
        """
        order = self._order(order_id)
        items = self._rows(
            "SELECT name, quantity FROM order_items JOIN products USING (sku) WHERE order_id = ?",
            order["id"],
        )
        shipment = self._row("SELECT * FROM shipments WHERE order_id = ?", order["id"])
        return {
            "order_id": order["id"],
            "status": order["status"],
            "order_date": order["order_date"],
            "items": items,
            "total": self._total(order["id"]) / 100,
            "currency": "AZN",
            "tracking_number": shipment["tracking_number"] if shipment else None,
        }

    def track_shipment(self, tracking_number: str) -> dict[str, Any]:
        """Tell where a parcel is now, who carries it and on which day it is expected.

        Call it when the customer asks where a package is or when it will arrive, and a tracking
        number is known. Does not tell whether an order is paid or packed, and takes no order
        number.

        Args:
            tracking_number: The number on the parcel's label: TRK, a dash and five digits,
                e.g. TRK-88213.
        """
        shipment = self._row("SELECT * FROM shipments WHERE tracking_number = ?", tracking_number)
        if shipment is None:
            raise tools.ToolError(
                f"There is no parcel {tracking_number}. Tracking numbers look like TRK-88213; "
                "the order tells the tracking number once it has been shipped."
            )
        return shipment

    def find_orders(self, customer_email: str) -> list[dict[str, Any]]:
        """List a customer's orders with their order numbers, states and totals, newest first.

        Call it when the order number is not known: the customer asks which orders they have, or
        about all their orders or purchases, and gives an e-mail address. Does not change anything.

        Args:
            customer_email: The customer's e-mail address, e.g. leyla@example.com.
        """
        customer = self._customer(customer_email)
        orders = self._rows(
            "SELECT id AS order_id, status, order_date FROM orders WHERE email = ?"
            " ORDER BY order_date DESC, id DESC",
            customer["email"],
        )
        return [{**each, "total": self._total(each["order_id"]) / 100} for each in orders]

    def search_products(self, query: str) -> list[dict[str, Any]]:
        """Find out whether the shop sells a thing, such as a lamp or a kettle, and what it costs.

        Call it when someone asks: do you have or sell it, how much is it, is it available or sold
        out. Gives the price and how many are in stock, and an empty list when nothing fits.
        Does not know about orders, and does not add up prices.

        Args:
            query: The product or kind of product to look for, in a few words, e.g. desk lamp.
        """
        wanted = [
            [_stem(word) for word in part.split() if word.lower() not in ("a", "an", "the")]
            for part in re.split(r",|\band\b|\bor\b", query)
        ]
        products = self._rows("SELECT * FROM products ORDER BY sku")
        return [
            {
                "name": product["name"],
                "sku": product["sku"],
                "price": product["price_cents"] / 100,
                "currency": "AZN",
                "stock": product["stock"],
            }
            for product in products
            if any(words and all(word in _searched(product) for word in words) for words in wanted)
        ]

    def check_balance(self, customer_email: str) -> dict[str, Any]:
        """Tell how much store credit and how many bonus points a customer has left to spend.

        Call it when a customer asks about their balance, credit or loyalty points and gives an
        e-mail address. Does not pay anything out.

        Args:
            customer_email: The customer's e-mail address, e.g. leyla@example.com.
        """
        customer = self._customer(customer_email)
        return {
            "customer_email": customer["email"],
            "name": customer["name"],
            "store_credit": customer["credit_cents"] / 100,
            "currency": "AZN",
            "bonus_points": customer["points"],
        }

    def calculate_price(
        self, unit_price: float, quantity: int, discount_percent: float = 0
    ) -> dict[str, float]:
        """Calculate what several pieces cost together, with a discount taken off if there is one.

        Call it when someone names a price and asks for the total of several pieces or for what is
        left to pay after a discount. Does not convert between currencies and does not know
        prices.

        Args:
            unit_price: Price of one piece, e.g. 12.50.
            quantity: How many pieces, e.g. 3.
            discount_percent: Discount in percent, e.g. 10 for 10 %.
        """
        if quantity < 1:
            raise tools.ToolError(f"quantity must be 1 or more; found {quantity}.")
        if not 0 <= discount_percent <= 100:
            raise tools.ToolError(
                f"discount_percent must be between 0 and 100; found {discount_percent}."
            )
        full = unit_price * quantity
        discount = full * discount_percent / 100
        return {"total": round(full - discount, 2), "discount": round(discount, 2)}

    def convert_currency(
        self,
        amount: Annotated[float, "How much money to convert, e.g. 100."],
        from_currency: Annotated[Currency, "Currency of the amount, as a three-letter code."],
        to_currency: Annotated[Currency, "Currency wanted, as a three-letter code."],
    ) -> dict[str, Any]:
        """Convert an amount of money from one currency into another at today's exchange rate.

        Call it when someone asks how much money is worth in another currency, or for an exchange
        rate. Does not calculate totals of products.
        """
        if amount < 0:
            raise tools.ToolError(f"amount must not be negative; found {amount}.")
        rate = self._rate(from_currency) / self._rate(to_currency)
        return {
            "amount": amount,
            "from_currency": from_currency,
            "to_currency": to_currency,
            "rate": round(rate, 4),
            "converted_amount": round(amount * rate, 2),
        }

    @cached_property
    def refund_order(self) -> Tool:
        """The refund, a tool already: handed to an agent by itself, it still needs a yes."""
        return tool(destructive=True, name="refund_order")(self._refund)

    def _refund(self, order_id: str, reason: RefundReason) -> dict[str, Any]:
        """Pay the whole price of a delivered or lost order back to the customer. Cannot be undone.

        Call it when the customer wants their money back or wants to return a broken, wrong or
        unwanted item, and gives the order number and why. Does not cancel an order that is still
        on its way.

        Args:
            order_id: The order number: the letters SP, a dash and four digits, e.g. SP-1024.
            reason: Why: damaged (broken, cracked, faulty, does not work), wrong_item (not what
                was ordered, wrong size or colour), late (came too late), changed_mind (no longer
                wanted or needed).
        """
        order = self._order(order_id)
        shipment = self._row("SELECT status FROM shipments WHERE order_id = ?", order_id)
        lost = shipment is not None and shipment["status"] == "lost"
        if order["status"] == "refunded":
            raise tools.ToolError(f"Order {order_id} has been refunded already.")
        if order["status"] != "delivered" and not lost:
            raise tools.ToolError(
                f"Order {order_id} is {order['status']}; only an order that was delivered, "
                "or lost on its way, can be refunded."
            )
        cents = self._total(order_id)
        with self._lock, self.database:
            self.database.execute(
                "INSERT INTO refunds VALUES (?, ?, ?, ?)", (order_id, reason, cents, TODAY)
            )
            self.database.execute("UPDATE orders SET status = 'refunded' WHERE id = ?", (order_id,))
        return {
            "order_id": order_id,
            "refunded_amount": cents / 100,
            "currency": "AZN",
            "reason": reason,
        }

    def _order(self, order_id: str) -> dict[str, Any]:
        order = self._row("SELECT * FROM orders WHERE id = ?", order_id)
        if order is None:
            raise tools.ToolError(
                f"There is no order {order_id}. Order numbers look like SP-1024. "
                "Ask the customer to check the number."
            )
        return order

    def _customer(self, email: str) -> dict[str, Any]:
        customer = self._row("SELECT * FROM customers WHERE email = ?", email.strip().lower())
        if customer is None:
            raise tools.ToolError(
                f"There is no customer with the e-mail address {email}. "
                "Ask the customer which address they ordered with."
            )
        return customer

    def _total(self, order_id: str) -> int:
        """The price of an order in hundredths of a manat: whole numbers add up exactly."""
        row = self._row(
            "SELECT SUM(quantity * price_cents) AS cents FROM order_items JOIN products USING (sku)"
            " WHERE order_id = ?",
            order_id,
        )
        return int(row["cents"]) if row else 0

    def _rate(self, currency: str) -> float:
        row = self._row("SELECT azn_per_unit FROM exchange_rates WHERE currency = ?", currency)
        if row is None:
            known = [each["currency"] for each in self._rows("SELECT * FROM exchange_rates")]
            raise tools.ToolError(
                f"There is no rate for {currency}. Known currencies: {', '.join(known)}."
            )
        return float(row["azn_per_unit"])

    def _rows(self, query: str, *values: Any) -> list[dict[str, Any]]:
        with self._lock:
            return [dict(row) for row in self.database.execute(query, values)]

    def _row(self, query: str, *values: Any) -> dict[str, Any] | None:
        rows = self._rows(query, *values)
        return rows[0] if rows else None


def _build(database: sqlite3.Connection) -> None:
    database.executescript(SCHEMA)
    with database:
        for table, rows in ROWS.items():
            places = ", ".join("?" * len(rows[0]))
            database.executemany(f"INSERT INTO {table} VALUES ({places})", rows)


def _searched(product: dict[str, Any]) -> str:
    return f"{product['name']} {product['category']}"


def _stem(word: str) -> str:
    """A word as a product's name may hold it: small letters, and one of several."""
    word = word.strip(".,!?").lower()
    if word.endswith("ves"):
        return word[:-3] + "f"
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


shop = Shop()
"""The shop of the lessons. Nothing is built before its first use."""
