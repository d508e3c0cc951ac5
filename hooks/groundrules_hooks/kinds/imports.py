"""Imports: the statements whose order says nothing, to the language or to most who read it."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from groundrules_hooks.kinds.languages import Language

OPENERS = frozenset((b"(", b"{", b"["))
CLOSERS = frozenset((b")", b"}", b"]"))
ENDS = frozenset((b";", b"\n"))
STARTS = frozenset((b"{", b"}", b";", b"\n", b"]", b"pub"))


def in_order(tokens: list[bytes], language: Language) -> list[bytes]:
    """Return `tokens` with each run of imports sorted, for a language to which their order says nothing."""
    out: list[bytes] = []
    run: list[list[bytes]] = []
    index = 0
    heads = {*language.imports, b"pub", b"#"}
    while index < len(tokens):
        end = _import_end(tokens, index, language) if tokens[index] in heads else 0
        if end:
            run.append(_inside_in_order(tokens[index:end]))
            index = end
            continue
        if run:
            out += [token for statement in sorted(run) for token in statement]
            run = []
        out.append(tokens[index])
        index += 1
    return out + [token for statement in sorted(run) for token in statement]


def without(tokens: list[bytes], language: Language) -> list[bytes]:
    """Return `tokens` without the imports."""
    out: list[bytes] = []
    is_start, is_import, depth = True, False, 0
    for token in tokens if language.imports else ():
        is_import = is_import or (is_start and token in language.imports)
        depth += is_import * ((token in OPENERS) - (token in CLOSERS))
        is_end = token in ENDS and depth <= 0
        if not is_import:
            out.append(token)
        is_start = is_end or token in STARTS
        if is_end:
            is_import, depth = False, 0
    return out if language.imports else tokens


def _import_end(tokens: list[bytes], start: int, language: Language) -> int:
    """Return where the import that begins at `start` ends; 0 when none does."""
    before = tokens[start - 1] if start else b"{"
    if before not in ENDS and before not in (b"{", b"}") and not before.endswith(b"<?php"):
        return 0
    index = _attributes_end(tokens, start)
    if tokens[index : index + 1] == [b"pub"]:
        index += 1
        if tokens[index : index + 1] == [b"("]:
            index = tokens.index(b")", index) + 1
    if index >= len(tokens) or tokens[index] not in language.imports:
        return 0
    depth = 0
    for end in range(index + 1, len(tokens)):
        depth += (tokens[end] in OPENERS) - (tokens[end] in CLOSERS)
        if depth < 0:
            return 0
        if tokens[end] in ENDS and depth == 0:
            return end + 1 if _is_plain(tokens[index:end]) else 0
    return 0


def _attributes_end(tokens: list[bytes], start: int) -> int:
    """Return where the attributes of Rust that begin at `start` end; `start` when the order of their crates counts."""
    index = start
    while tokens[index : index + 2] == [b"#", b"["]:
        end = index + 2
        depth = 1
        while depth and end < len(tokens):
            depth += (tokens[end] in OPENERS) - (tokens[end] in CLOSERS)
            end += 1
        if b"macro_use" in tokens[index:end]:
            return start
        index = end
    return index


def _is_plain(statement: list[bytes]) -> bool:
    """Whether `statement` is an import in truth: a C# `using` may declare a variable, a Rust `mod` hold a module."""
    if statement[0] == b"using":
        names = statement[2:] if statement[1] in (b"static", b"unsafe") else statement[1:]
        # No `using (…)`, no `using var a = …`.
        return b"(" not in names and not any(map(_is_pair, names, names[1:]))
    return b"{" not in statement or not {b"mod", b"extern"} & set(statement)


def _is_pair(left: bytes, right: bytes) -> bool:
    return all(token[:1].isalpha() or token[:1] in (b"_", b"@") for token in (left, right))


def _inside_in_order(statement: list[bytes]) -> list[bytes]:
    """Return an import with what its brackets list sorted, and without the brackets around a single name."""
    opened: list[tuple[list[list[bytes]], list[bytes]]] = []
    items: list[list[bytes]] = []
    item: list[bytes] = []
    for token in statement:
        if token in OPENERS:
            opened.append((items, [*item, token]))
            items, item = [], []
        elif token in CLOSERS and opened:
            listed = sorted([*items, item] if item else items)
            items, item = opened.pop()
            is_single = len(listed) == 1 and token == b"}" and listed[0] != [b"self"]
            head = item[:-1] if is_single else item
            item = head + [part for each in listed for part in [*each, b","]][: -1 if is_single else None]
            item += [] if is_single else [token]
        elif opened and token in (b",", b"\n"):
            items.append(item)
            item = []
        else:
            item.append(token)
    return item
