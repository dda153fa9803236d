"""The shop is the same everywhere, and its tools say plainly what is wrong."""

import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from anthropic.lib.tools import ToolError

from agentlab import Agent, ask, client
from agentlab.practice import say, use
from agentlab.shop import ROWS, Shop


@pytest.fixture
def shop() -> Shop:
    return Shop()


def test_eight_tools_and_only_the_refund_is_destructive(shop):
    assert [each.name for each in shop.tools] == [
        "get_order_status",
        "track_shipment",
        "find_orders",
        "search_products",
        "check_balance",
        "calculate_price",
        "convert_currency",
        "refund_order",
    ]
    assert [each.name for each in shop.tools if each.destructive] == ["refund_order"]


def test_every_parameter_is_described(shop):
    for each in shop.tools:
        assert "Call it when" in each.description
        for described in each.input_schema["properties"].values():
            assert described["description"]


def test_an_order_is_told_with_its_items_total_and_tracking_number(shop):
    assert shop.get_order_status("SP-1024") == {
        "order_id": "SP-1024",
        "status": "shipped",
        "order_date": "2026-06-10",
        "items": [{"name": "desk lamp", "quantity": 1}, {"name": "wool blanket", "quantity": 2}],
        "total": 183.9,
        "currency": "AZN",
        "tracking_number": "TRK-88213",
    }


def test_an_order_not_sent_has_no_tracking_number(shop):
    assert shop.get_order_status("SP-1025")["tracking_number"] is None


def test_a_parcel_is_told_with_place_and_date(shop):
    parcel = shop.track_shipment("TRK-88207")
    assert (parcel["location"], parcel["expected_date"]) == ("Baku customs", "2026-06-19")


def test_a_customers_orders_come_newest_first(shop):
    orders = shop.find_orders("Leyla@Example.com ")
    assert [each["order_id"] for each in orders] == ["SP-1025", "SP-1024", "SP-1035"]


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("desk lamp", ["desk lamp"]),
        ("Lamps", ["desk lamp", "reading lamp"]),
        ("bookshelves", ["bookshelf"]),
        ("lamps and kettles", ["desk lamp", "reading lamp", "steel kettle"]),
        ("the oak desk", ["oak desk"]),
        ("kitchen", ["tea set", "coffee grinder", "steel kettle"]),
        ("bicycle", []),
        ("", []),
        ("'; DROP TABLE products; --", []),
    ],
)
def test_products_are_found_by_name_and_kind(shop, query, names):
    assert [each["name"] for each in shop.search_products(query)] == names


def test_a_balance_has_credit_and_points(shop):
    balance = shop.check_balance("mei@example.com")
    assert (balance["store_credit"], balance["bonus_points"]) == (120.5, 1240)


def test_prices_are_multiplied_and_discounted(shop):
    assert shop.calculate_price(45, 8, 10) == {"total": 324.0, "discount": 36.0}


def test_money_is_converted_both_ways(shop):
    assert shop.convert_currency(100, "USD", "AZN")["converted_amount"] == 170.0
    assert shop.convert_currency(170, "AZN", "USD")["converted_amount"] == 100.0


def test_a_refund_changes_the_shop_and_cannot_be_made_twice(shop):
    assert shop.refund_order("SP-1026", "damaged")["refunded_amount"] == 129.0
    assert shop.get_order_status("SP-1026")["status"] == "refunded"
    with pytest.raises(ToolError, match="has been refunded already"):
        shop.refund_order("SP-1026", "damaged")


def test_a_lost_parcel_can_be_refunded_and_one_on_its_way_not(shop):
    assert shop.refund_order("SP-1032", "late")["refunded_amount"] == 75.0
    with pytest.raises(ToolError, match="is shipped; only an order that was delivered"):
        shop.refund_order("SP-1024", "late")


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda shop: shop.get_order_status("SP-9999"), "There is no order SP-9999. Order numbers"),
        (lambda shop: shop.track_shipment("SP-1024"), "Tracking numbers look like TRK-88213"),
        (lambda shop: shop.find_orders("nobody@example.com"), "There is no customer"),
        (lambda shop: shop.calculate_price(1, 0), "quantity must be 1 or more; found 0"),
        (lambda shop: shop.calculate_price(1, 1, 120), "between 0 and 100; found 120"),
        (lambda shop: shop.convert_currency(-1, "USD", "AZN"), "must not be negative; found -1"),
        (lambda shop: shop.convert_currency(1, "XYZ", "AZN"), "Known currencies: AZN, USD, EUR"),
    ],
)
def test_errors_help_the_model(shop, call, words):
    with pytest.raises(ToolError) as raised:
        call(shop)
    assert words in str(raised.value)


def test_reset_makes_everything_as_it_was(shop):
    before = list(shop.database.iterdump())
    shop.refund_order("SP-1026", "damaged")
    assert list(shop.database.iterdump()) != before
    shop.reset()
    assert list(shop.database.iterdump()) == before


def test_two_shops_share_nothing(shop):
    shop.refund_order("SP-1026", "damaged")
    assert Shop().get_order_status("SP-1026")["status"] == "delivered"


def test_a_shop_in_a_file_remembers(tmp_path):
    path = tmp_path / "shop.sqlite"
    first = Shop(path)
    first.refund_order("SP-1026", "damaged")
    first.close()
    again = Shop(path)
    assert again.get_order_status("SP-1026")["status"] == "refunded"
    again.close()


def test_the_tools_work_from_other_threads(shop):
    ids = [row[0] for row in ROWS["orders"]]
    with ThreadPoolExecutor(4) as pool:
        told = list(pool.map(shop.get_order_status, ids * 5))
    assert [each["order_id"] for each in told] == ids * 5


def test_every_row_fits_the_others(shop):
    shop.database.execute("PRAGMA foreign_keys = ON")
    assert shop.database.execute("PRAGMA foreign_key_check").fetchall() == []
    assert isinstance(shop.database, sqlite3.Connection)


def test_importing_the_shop_builds_nothing_and_loads_no_sdk():
    program = (
        "import sys, agentlab.shop as s\n"
        "assert 'anthropic' not in sys.modules\n"
        "assert 'database' not in vars(s.shop)"
    )
    subprocess.run([sys.executable, "-W", "error", "-c", program], check=True)


def test_the_refund_needs_a_yes_however_it_is_handed_over() -> None:
    shop = Shop()
    agent = Agent("desk", "", [shop.refund_order])
    script = [use("refund_order", order_id="SP-1026", reason="damaged"), say("done")]
    assert ask(agent, "go", client=client(script)).outcomes[0].status == "denied"
    assert shop.get_order_status("SP-1026")["status"] == "delivered"
