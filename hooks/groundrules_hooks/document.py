"""JSON documents, read by the scanner that `json` itself uses: to import that costs a hook 11 ms, mostly for `re`."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

BLANK = b" \t\n\r"


class Settings:
    """What the scanner asks for: those of `json.loads`."""

    strict = True
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = {"-Infinity": float("-inf"), "Infinity": float("inf"), "NaN": float("nan")}.__getitem__


def loads(content: bytes) -> Any:  # noqa: ANN401 (what JSON holds)
    """Return what `json.loads` returns, and raise what it raises."""
    text = content.strip(BLANK)
    if text.startswith(b"{") and b"\0" not in text:  # so it is UTF-8
        try:
            from _json import make_scanner

            whole = text.decode("utf-8", "surrogatepass")
            found, end = make_scanner(Settings)(whole, 0)  # type: ignore[arg-type] # as `json.scanner` calls it
            if end == len(whole):
                return found
        except (ImportError, ValueError, StopIteration):
            pass  # to be told in the words of `json`
    import json

    return json.loads(content)
