"""Comments: what of a text its reader skips, where no reader of tokens knows the language."""

from __future__ import annotations

PIECE = r"""'[^']*'|"(?:\\.|[^"\\])*"|\\."""
WORD = rf"""(?:{PIECE}|[^\s;&|()#'"\\])(?:{PIECE}|[^\s;&|()'"\\])*"""  # of a shell: a#b is no comment
STRING = rb'"(?:\\.|[^"\\\n])*"'
# What lasts to an end that never comes lasts to the end of the file.
RUBY = rb"(?ms:^=begin\b.*?(?:^=end\b[^\n]*|\Z)|^__END__$.*)"
PERL = rb"(?ms:^=[A-Za-z].*?(?:^=cut\b[^\n]*|\Z)|^__(?:END|DATA)__$.*)"
POWERSHELL = rb"(?s:<#.*?(?:#>|\Z))|(?:^|(?<=[\s;{}()|]))#[^\n]*"
HASKELL = rb"(?s:\{-.*?(?:-\}|\Z))|(?<![!#$%&*+./<=>?@\\^|~:-])--+(?![!#$%&*+./<=>?@\\^|~:-])[^\n]*"
LISP = rb";[^\n]*"
BY_SUFFIX = {
    suffix: pattern
    for suffixes, pattern in (
        ("rb rake gemspec gemfile rakefile vagrantfile podfile", RUBY),
        ("pl pm t", PERL),
        ("ps1 psm1 psd1", POWERSHELL),
        ("hs elm purs", HASKELL),
        ("clj cljs cljc edn lisp el scm rkt", LISP),
    )
    for suffix in suffixes.split()
}


def without(path: str, content: bytes) -> bytes:
    """Return `content` of the file at `path` without the comments that only a language like its own has."""
    pattern = BY_SUFFIX.get(path.rpartition("/")[2].rpartition(".")[2].lower())
    if pattern is None:
        return content
    import re

    # A string is met first, so that what looks like a comment in it stays.
    return re.sub(b"(" + STRING + b")|" + pattern, lambda found: found[1] or b" ", content, flags=re.MULTILINE)


def of_shell(text: str) -> str:
    """Return the command `text` without what a shell takes for a comment."""
    if "#" not in text:
        return text
    import re

    return re.sub(rf"({WORD})|#[^\n]*", lambda found: found[1] or "", text, flags=re.DOTALL)
