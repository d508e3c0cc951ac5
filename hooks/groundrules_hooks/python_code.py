"""Python code: its imports and strings by the syntax tree, and whether it does more than hold a place."""

from __future__ import annotations

from groundrules_hooks.code import Code, Look

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

ONLY_TREE = 0x400  # ast.PyCF_ONLY_AST; importing `ast` costs more than reading a file
EMPTY = frozenset(("Pass", "Import", "ImportFrom", "Global", "Nonlocal"))
DEFINITIONS = frozenset(("FunctionDef", "AsyncFunctionDef", "ClassDef"))
# What a statement is: something done, a sign that something is missing, nothing, a type, or a constant.
WORK, SIGN, NONE, FORM, VALUE = "work", "sign", "none", "form", "value"
# Names of bases and decorators of what others fill in.
CONTRACTS = ("Protocol", "ABC", "ABCMeta", "abstractmethod", "overload")


def look(content: bytes) -> Look:
    """Return what a source shows; of one that does not parse it cannot be told whether it does something."""
    tree = _parsed(content)
    return Look(parses=tree is not None, works=tree is None or _works(tree), lacks=tree is None or _lacks(tree))


def _parsed(content: bytes) -> Any:  # noqa: ANN401 (a node)
    import warnings

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return compile(content, "<source>", "exec", ONLY_TREE, dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def read(content: bytes) -> Code:
    """Return what a source says; what only type checkers read is no import."""
    imports: set[tuple[int, str]] = set()
    texts: set[str] = set()
    for node in _nodes(_parsed(content)):
        kind = type(node).__name__
        if kind == "Import":
            imports.update((0, alias.name) for alias in node.names)
        elif kind == "ImportFrom":
            imports.update(_from(node))
        elif kind == "Constant" and isinstance(node.value, str):
            texts.add(node.value)
    return Code(imports=frozenset(imports), texts=frozenset(texts))


def _nodes(tree: Any) -> Iterator[Any]:  # noqa: ANN401 (a node)
    """Yield the nodes of a tree, without documentation and what only type checkers read."""
    waiting: list[Any] = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, list):
            waiting += node
        elif type(node).__name__ == "If" and _is_named(node.test, "TYPE_CHECKING"):
            waiting.append(node.orelse)
        elif not _is_remark(node):
            yield node
            waiting += (getattr(node, field, None) for field in getattr(node, "_fields", ()))


def _lacks(tree: Any) -> bool:  # noqa: ANN401 (a node)
    """Whether a source says itself that something in it is missing."""
    import re

    from groundrules_hooks.placeholder import SIGNS

    names = (
        getattr(node, "id", None) or getattr(node, "attr", None) or getattr(node, "value", None)
        for node in _nodes(tree)
    )
    return any(isinstance(name, str) and re.search(SIGNS, name.encode("utf-8", "replace")) for name in names)


def _from(node: Any) -> set[tuple[int, str]]:  # noqa: ANN401 (a node)
    """Return the modules that `from … import …` may name: the one before, and each name as one below it."""
    module = node.module or ""
    below = {f"{module}.{alias.name}".lstrip(".") for alias in node.names if alias.name != "*"}
    return {(node.level, name) for name in (module, *below) if name or node.level}


def _is_remark(node: Any) -> bool:  # noqa: ANN401 (a node)
    """Whether a statement is a text that nobody reads at run time: documentation."""
    return type(node).__name__ == "Expr" and type(node.value).__name__ == "Constant"


def _is_named(node: Any, name: str) -> bool:  # noqa: ANN401 (a node)
    return name in (getattr(node, "id", None), getattr(node, "attr", None))


def _works(tree: Any) -> bool:  # noqa: ANN401 (a node)
    """Whether a module may do something; one of imports, types or constants alone is what it is."""
    found = set(_parts(tree.body, within=""))
    if WORK in found or not found:
        return WORK in found or any(type(statement).__name__ in EMPTY - {"Pass"} for statement in tree.body)
    return SIGN not in found and (FORM in found or NONE not in found)


def _parts(body: list[Any], within: str) -> Iterator[str]:
    """Yield what each statement is that says more than a place to be filled."""
    for statement in body:
        kind = type(statement).__name__
        if kind in DEFINITIONS:
            yield from _defined(statement, kind)
        elif kind == "Raise" and _is_placeholder(statement, kind, within):
            yield SIGN
        elif not (kind in EMPTY or _is_remark(statement) or _is_placeholder(statement, kind, within)):
            yield WORK
        elif kind == "Assign" and not within:
            yield VALUE


def _defined(statement: Any, kind: str) -> Iterator[str]:  # noqa: ANN401 (a node)
    """Yield what a function or a class is: what others are to fill in, or build on, is a form."""
    found = set(_parts(statement.body, kind)) - {VALUE} or {NONE}
    bases = [*getattr(statement, "bases", ()), *(each.value for each in getattr(statement, "keywords", ()))]
    # Protocol[T] is one too.
    plain = [each.value if type(each).__name__ == "Subscript" else each for each in bases]
    named = [*plain, *statement.decorator_list]
    if any(_is_named(each, word) for each in named for word in CONTRACTS):
        found -= {SIGN, NONE}
        found.add(FORM)
    yield from found | ({FORM} if named else set())


def _is_placeholder(statement: Any, kind: str, within: str) -> bool:  # noqa: ANN401 (a node)
    if kind == "Raise":
        raised = statement.exc
        return _is_named(getattr(raised, "func", raised), "NotImplementedError")
    if kind == "Return":
        return statement.value is None or getattr(statement.value, "value", ...) is None
    if kind == "If":  # the call of what is above, or names for type checkers
        test = statement.test
        return _is_named(test, "TYPE_CHECKING") or _is_named(getattr(test, "left", None), "__name__")
    if kind == "Assign" and within != "ClassDef":
        return type(statement.value).__name__ == "Constant" or _is_named(statement.targets[0], "__all__")
    return False
