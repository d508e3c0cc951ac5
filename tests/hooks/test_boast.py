"""Boasts: sentences that call the unproven available are found by title and id; as many that say no such thing pass."""

from __future__ import annotations

import pytest

from groundrules_hooks.boast import boasts
from groundrules_hooks.capability import Capability
from groundrules_hooks.capability_table import BEGIN, END, MARKERS

ROWS = (
    Capability("orders", "Orders can be placed", "wired"),
    Capability("order-export", "Nothing is lost when a list is exported.", "stub"),
    Capability("find", "Search", "absent"),
    Capability("pay", "Pay | <b>", "proven"),
    Capability("product", "What this repository is for", "absent"),
    Capability("health", "Health", "healthy"),
    Capability("api", "The API", "wired"),
    Capability("cli", "CLI", "wired"),
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # AGADR-09: by the title, wherever it stands
        ("Orders can be placed: available", ["orders"]),
        ("| Orders can be placed | available |", ["orders"]),
        ("orders can be placed, and that is available since May.", ["orders"]),
        ("It is available: orders can be\nplaced by everybody.", ["orders"]),
        ("[Orders can be placed](docs/orders.md): AVAILABLE", ["orders"]),
        ("Nothing is lost when a list is exported: available.", ["order-export"]),
        # by the id, as code or in bold
        ("`orders` is available.", ["orders"]),
        ("**orders**: Available", ["orders"]),
        ("Everything from carts to `orders` is now fully\navailable.", ["orders"]),
        ("`orders` and `find`: all available now.", ["orders", "find"]),
        # by the id or a title of one word, where that is what is called so
        ("Orders are available.", ["orders"]),
        ("The orders are now available in the shop.", ["orders"]),
        ("Orders and carts are available.", ["orders"]),
        ("Orders, carts, and lists are available.", ["orders"]),
        ("Carts and orders are already available.", ["orders"]),
        ("- [x] orders: available", ["orders"]),
        ("- orders (available)", ["orders"]),
        ("- orders - available", ["orders"]),
        ("- orders \u2014 *available*", ["orders"]),
        ("| orders | available |", ["orders"]),
        ("| [orders](docs/orders.md) | \u2705 available |", ["orders"]),
        ("Available now: carts, orders and search.", ["orders", "find"]),
        ("Order export is available.", ["order-export"]),
        ("Search is available, ORDERS ARE AVAILABLE", ["orders", "find"]),
        ("> The search is available!", ["find"]),
        ("It isn't hard. Orders are available.", ["orders"]),
        ("Product is generally available.", ["product"]),
        ("The `product` service is available.", ["product"]),
        ("Product is available to everyone.", ["product"]),
        ("Health is available for all users.", ["health"]),
        ("The API is available everywhere.", ["api"]),
        # a word that denies something else doubts nothing
        ("Health is available, no setup needed.", ["health"]),
        ("`health` is available now (no setup).", ["health"]),
        ("`health` is available, and no setup is needed.", ["health"]),
        ("`health` is available with no setup.", ["health"]),
        ("What this repository is for is available without a login.", ["product"]),
    ],
)
def test_sentence_that_calls_the_unproven_available_is_found(text: str, expected: list[str]) -> None:
    assert [each.id for _, each in boasts(f"# shop\n\n{text}\n", ROWS)] == expected


@pytest.mark.parametrize(
    "text",
    [
        "`pay` is available.",
        # not so, not yet, not for sure
        "`orders` is not available.",
        "`orders` isn't available yet.",
        "`orders` isn\u2019t available.",
        "`orders` aren't available.",
        "`orders` is unavailable.",
        "`orders` will be available.",
        "`orders` is available once it is proven.",
        "`orders` is\nnot\navailable.",
        "None of carts and\n`orders` is available.",
        "Orders are available soon.",
        "Orders are not yet available.",
        "When orders are available, say so.",
        "It tells whether orders are available.",
        "Orders can be placed, or so they say, if they are available.",
        "Are orders available?",
        "Orders can be made available.",
        "`orders` should become available.",
        "`orders` is to be available in May.",
        "Orders can be placed: this isn't available.",
        "Orders can be placed: this isn\u2019t available.",
        "Orders can be placed: available?",
        "Available now: not all of carts, orders",
        # something else is
        "Nothing else is available. `orders` is wired.",
        "Carts are available; `orders` is wired.",
        "- Carts are available\n- `orders`",
        "# Available\n`orders`",
        "| carts | available |\n| `orders` | wired |",
        "`orders` lists the available carts.",
        "`orders` takes all available carts.",
        "Orders can be placed for any available cart.",
        "The orders service is available.",
        "The `orders` page is available.",
        "Carts are available beside the `orders` page.",
        "The page for the orders is available.",
        "Pending orders are available.",
        "`orders` is an [available](#available) command.",
        "`orders` are an [available command][orders].",
        "It makes the [`orders`][orders] available command.",
        "Search the available carts.",
        "Reorders can be placed available.",
        "orders-api is available.",
        "Order exports are available.",
        "Available commands: orders, search",
        "Available: orders-api, searches",
        "What is available can be seen in orders.",
        "- `health` - lists available probes",
        "| health | available probes: live, ready |",
        "- **find** - list available items",
        "- **orders**: the orders available to a customer",
        "`orders` - items available in a shop",
        "Search: available options are listed below.",
        "`find`: prints what is available",
        "`orders` is called [available](#available).",
        "- `orders`: returns items currently available",
        "Available scripts: `make up`, `health`.",
        "Available options: `find` (default), `cart`.",
        "Available targets: `make up`, `make docs`, `api`",
        "The API reference is available in the shop.",
        # it denies after all
        "Carts are available, no `orders`.",
        "Orders are available, no longer.",
        "Orders are available, but not in the shop.",
        # handed out, not working
        "Health: available at `/healthz`.",
        "`health` is available [here](docs/health.md).",
        "The CLI is available via pip install.",
        "The CLI is available on PyPI.",
        "The API is available in docs/api.md.",
        "Orders are available under the MIT licence.",
        "Search is available as an image.",
        # no prose
        "    `orders` is available.",
        "```\norders are available\n```",
        "Run `orders --available` for `orders`.",
        "Type `orders are available`.",
        "See [`orders`](docs/available.md) and https://example.org/available/orders for more.",
        "[page]: https://example.org (`orders` is available)",
        "Carts. <!-- `orders` is\navailable -->",
    ],
)
def test_sentence_that_says_no_such_thing_passes(text: str) -> None:
    assert list(boasts(f"# shop\n\n{text}\n", ROWS)) == []


def test_table_itself_is_no_boast_and_lines_are_counted() -> None:
    text = f"{BEGIN}\n| Orders can be placed | available |\n{END}\n\n`orders`:\nall of it is available\n"
    assert [(line, each.id) for line, each in boasts(text, ROWS)] == [(6, "orders")]
    assert [line for line, _ in boasts(f"a\x0cb\n{MARKERS}`orders`: available\r\n", ROWS)] == [4]


@pytest.mark.parametrize(
    "row", ["orders, ", "orders and ", "and ", ", and ", "| ", "(", "`", "[", "available ", "a-", "now available "]
)
def test_a_long_row_of_anything_comes_to_an_end(row: str) -> None:
    # one that tries all ways to read a row would not
    text = f"orders {row * 3000} and carts are available {row * 3000}."
    assert all(each.id == "orders" for _, each in boasts(text, ROWS))
