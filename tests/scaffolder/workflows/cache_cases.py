"""Traps of caches: workflows that have each, and benign ones that look like them."""

from __future__ import annotations

from scaffolder.workflows.text import BOTH, PULL, QUEUE, RESTORE, TEST, WARM, WRITER, cache, job, workflow

CROSS = "enableCrossOsArchive: true"
UBUNTU, WINDOWS = "ubuntu-24.04", "windows-2025"
LOCKED = "deps-${{ hashFiles('uv.lock') }}"


def on_windows(*steps: str) -> str:
    return job(*steps).replace(UBUNTU, WINDOWS)


def saves(key: str) -> str:
    """Return a workflow of the default branch that saves `key`."""
    return workflow(WARM, job(cache("cache/save", key, more="")))


def by_matrix(*systems: str) -> str:
    """Return the rest of `runs-on:` for a matrix of `systems`, and that matrix."""
    listed = "".join(f"{{os: {system}}}, " for system in systems)
    return f"'${{{{ matrix.os }}}}'\n    strategy: {{matrix: {{include: [{listed}]}}}}"


NODE = "actions/setup-node@v6, with: {cache: npm}"
GO = "actions/setup-go@v5, with: {cache: true}"
UV = "astral-sh/setup-uv@v6, with: {enable-cache: true}"
RUST = "Swatinem/rust-cache@v2"


def tool(on: str, uses: str) -> str:
    """Return a workflow that sets up a tool by an action."""
    return workflow(on, job(f"{{uses: {uses}}}"))


CASES: dict[str, tuple[list[list[str]], list[list[str]]]] = {
    # CI-16: the save of a pull request is found, that of a push is not
    "cache-writer-pr": (
        [
            [
                workflow(
                    BOTH,
                    job("make", name="only", head="if: github.event_name == 'push'"),
                    job(cache(), head="needs: only\nif: always()"),
                )
            ],
            [workflow(PULL, job(cache())), WRITER],
            [workflow(PULL, job(cache("cache/save", more=""))), WRITER],
            [workflow(BOTH, job(cache()))],
            [workflow("on: merge_group\n", job(cache())), WRITER],
            [workflow(PULL, job("{uses: Swatinem/rust-cache@v2}"))],
            [workflow(PULL, job("{uses: astral-sh/setup-uv@v6, with: {enable-cache: true}}"))],
            [workflow(PULL, job(cache(cond="github.event_name == 'pull_request'"))), WRITER],
            [
                workflow("on: workflow_call\n", job(cache())),
                workflow(PULL, "  call: {uses: ./.github/workflows/0.yml}\n"),
            ],
        ],
        [
            [workflow(PULL, job(RESTORE)), WRITER],
            [workflow(BOTH, job(RESTORE, cache("cache/save", more="", cond="github.event_name == 'push'")))],
            [workflow(BOTH, job(RESTORE, cache("cache/save", more="", cond="github.ref == 'refs/heads/main'")))],
            [workflow(BOTH, job(cache(), head="if: github.event_name != 'pull_request'"))],
            [
                workflow(
                    BOTH,
                    job("make", name="only", head="if: github.event_name == 'push'"),
                    job(cache(), head="needs: only"),
                )
            ],
            [
                workflow(
                    BOTH,
                    job("{uses: Swatinem/rust-cache@v2, with: {save-if: \"${{ github.ref == 'refs/heads/main' }}\"}}"),
                )
            ],
            [workflow(PULL, job("{uses: astral-sh/setup-uv@v6, with: {enable-cache: false}}"))],
            [workflow(PULL, job("{uses: astral-sh/setup-uv@v6}"))],
            [tool(QUEUE, NODE)],
            [
                workflow(
                    PULL,
                    job(cache("cache/save", "out-${{ github.sha }}", more="")),
                    job(cache("cache/restore", "out-${{ github.sha }}", more=""), name="next", head="needs: test"),
                )
            ],
            [workflow(BOTH, job(cache(key="tool-${{ runner.os }}-1.2.3")))],
            [
                workflow("on: workflow_call\n", job(cache())),
                workflow(WARM, "  call: {uses: ./.github/workflows/0.yml}\n"),
            ],
        ],
    ),
    # CI-08
    "cache-no-writer": (
        [
            [workflow(PULL, job(RESTORE))],
            [workflow(QUEUE, job(RESTORE)), workflow(PULL, job(cache("cache/save", more="")))],
            [workflow(PULL, job(cache("cache/restore", "other-${{ hashFiles('uv.lock') }}", more=""))), WRITER],
            [workflow(PULL, job(RESTORE)), workflow("on: {push: {tags: ['v*']}}\n", job(cache("cache/save", more="")))],
            [workflow(BOTH, job(RESTORE))],
            [workflow(PULL, job(RESTORE)), tool(WARM, NODE)],
            [tool(PULL, NODE)],
            [tool(PULL, NODE), tool(WARM, NODE.replace("npm", "pnpm"))],
            [tool(PULL, NODE), tool(WARM, NODE.replace("npm", "false"))],
            [tool(PULL, NODE), tool(WARM, GO)],
            [tool(PULL, "actions/setup-python@v6, with: {cache: pip}"), tool(WARM, "actions/setup-python@v6")],
            [tool(PULL, "ruby/setup-ruby@v1, with: {bundler-cache: true}")],
            [tool(PULL, RUST), tool(WARM, f"{RUST}, with: {{save-if: false}}")],
            [tool(PULL, UV), tool(WARM, f"{UV[:-1]}, save-cache: false}}")],
            [tool(BOTH, f"{NODE}, if: github.event_name == 'pull_request'")],
            [
                workflow("on: {push: {branches-ignore: [main]}}\n", job(RESTORE)).replace(
                    "on: {", "on: {pull_request: , "
                )
            ],
        ],
        [
            [workflow(PULL, job(cache("cache/save", more="")), job(RESTORE, name="next", head="needs: test"))],
            [workflow(PULL, job(RESTORE)), WRITER],
            [workflow(PULL, job(RESTORE)), WRITER.replace("branches: [main]", "branches: ['**']")],
            [
                workflow(PULL, job(RESTORE)),
                workflow("on: {schedule: [{cron: '0 3 * * 1'}]}\n", job(cache("cache/save", more=""))),
            ],
            [workflow(PULL, job(RESTORE)), workflow(WARM, "  call: {uses: other/place/.github/workflows/x.yml@v1}\n")],
            [workflow(PULL, job(cache("cache/restore", "${{ env.KEY }}", more=""))), WRITER],
            [workflow("on: workflow_call\n", job(RESTORE))],
            # what an action has saved on its own, under a key of its own
            [workflow(PULL, job(cache("cache/restore", "node-cache-Linux-x64-npm-1", more=""))), tool(WARM, NODE)],
            [workflow(PULL, job(cache("cache/restore", "setup-go-Linux-", more=""))), tool(WARM, GO)],
            [tool(BOTH, NODE)],
            [tool(PULL, NODE), tool(WARM, NODE)],
            [tool(PULL, NODE), tool(WARM, NODE.replace("npm", "'${{ inputs.manager }}'"))],
            [tool(PULL, NODE), tool(WARM, "actions/setup-node@v6")],  # may cache npm by itself
            [tool(PULL, GO), tool(WARM, "actions/setup-go@v5")],
            [tool(PULL, UV), tool(WARM, "astral-sh/setup-uv@v6")],
            [tool(PULL, UV), tool(WARM, UV.replace("true", "auto"))],
            [tool(PULL, RUST), tool(WARM, RUST)],
            [tool(BOTH, f"{RUST}, with: {{save-if: \"${{{{ github.ref == 'refs/heads/main' }}}}\"}}")],
            # not known to cache, or known not to
            [tool(PULL, "actions/setup-go@v5")],
            [tool(PULL, NODE.replace("npm", "'${{ inputs.manager }}'"))],
            [tool(PULL, UV.replace("true", "auto"))],
            [tool(PULL, "actions/setup-python@v6")],
            [tool(PULL, "ruby/setup-ruby@v1, with: {bundler-cache: false}")],
            [tool("on: issue_comment\n", NODE)],
            [tool(PULL, NODE), workflow(WARM, "  call: {uses: other/place/.github/workflows/x.yml@v1}\n")],
        ],
    ),
    "cache-constant-key": (
        [
            [workflow(WARM, job(cache(key="deps")))],
            [workflow(WARM, job(cache(key="deps-${{ runner.os }}-${{ matrix.python }}-v2")))],
            [workflow("env: {KEY: deps}\n" + WARM, job(cache(key="${{ env.KEY }}")))],
        ],
        [
            [workflow(WARM, job(cache()))],
            [workflow(WARM, job(cache(key="deps-${{ github.run_id }}")))],
            [workflow("env: {TOOL: 0a1b2c3d4e5f}\n" + WARM, job(cache(key="tool-${{ env.TOOL }}")))],
            [workflow(WARM, job(cache(key="protoc-${{ runner.os }}-25.1")))],
            [workflow(WARM, job(cache(key="deps-${{ steps.date.outputs.week }}")))],
            [workflow(PULL, job(cache("cache/restore", "deps-"))), WRITER],
        ],
    ),
    # CI-05
    "cache-no-restore-keys": (
        [
            [workflow(WARM, job(cache(more="")))],
            [workflow(PULL, job(cache("cache/restore", more=""))), WRITER],
            [workflow(WARM, job(cache(path="${{ steps.yarn-cache.outputs.dir }}", more="")))],
        ],
        [
            [workflow(WARM, job(cache()))],
            [workflow(WARM, job(cache(path="node_modules", more="")))],
            [workflow(WARM, job(cache(path="~/.cache/ms-playwright", more="")))],
            [workflow(WARM, job(cache(key="out-${{ hashFiles('src/**') }}", more="")))],
            [workflow(PULL, job(cache("cache/restore", more="fail-on-cache-miss: true"))), WRITER],
            [workflow(WARM, job(cache(more="lookup-only: true")))],
        ],
    ),
    # CI-17
    "cache-path-mismatch": (
        [
            [
                workflow(
                    BOTH,
                    job(
                        cache("cache/restore").replace("{uses", "{id: r, uses"),
                        cache("cache/save", "${{ steps.r.outputs.cache-primary-key }}", "other", ""),
                    ),
                )
            ],
            [workflow(PULL, job(cache("cache/restore", path="~/.cache"))), WRITER],
            [
                workflow(PULL, job(cache("cache/restore", LOCKED))),
                saves(LOCKED).replace(UBUNTU, "[self-hosted, Windows]"),
            ],
            [workflow(PULL, on_windows(cache("cache/restore", LOCKED))), saves(LOCKED)],
            [workflow(PULL, job(cache("cache/restore", LOCKED, more=CROSS))), saves(LOCKED).replace(UBUNTU, WINDOWS)],
            [workflow(PULL, job(cache("cache/restore", LOCKED))), saves(LOCKED).replace(UBUNTU, by_matrix(WINDOWS))],
            [workflow(PULL, job(cache("cache/restore", path="a\\nb"))), WRITER.replace("~/.cache/uv", "b\\na")],
        ],
        [
            [
                workflow(PULL, job(cache("cache/restore", "deps-${{ matrix.a }}-", "a"))),
                workflow(WARM, job(cache("cache/save", "deps-${{ matrix.a }}-", "b", ""))),
            ],
            [workflow(PULL, job(RESTORE)), WRITER],
            # the input means something on Windows alone
            [workflow(PULL, job(cache("cache/restore", LOCKED, more=CROSS))), saves(LOCKED)],
            [workflow(PULL, on_windows(cache("cache/restore", LOCKED, more=CROSS))), saves(LOCKED)],
            [
                workflow(
                    PULL, on_windows(cache("cache/restore", LOCKED, more="enableCrossOsArchive: ${{ inputs.x }}"))
                ),
                saves(LOCKED),
            ],
            [
                workflow(PULL, on_windows(cache("cache/restore", LOCKED))),
                saves(LOCKED).replace(UBUNTU, by_matrix(UBUNTU, WINDOWS)),
            ],
            [workflow(PULL, on_windows(cache("cache/restore", LOCKED))), saves(LOCKED).replace(UBUNTU, "self-hosted")],
            [workflow(PULL, on_windows(RESTORE)), WRITER],
            [workflow(PULL, job(cache("cache/restore", path="a\\nb"))), WRITER.replace("~/.cache/uv", " a \\n\\nb\\n")],
            [workflow(PULL, job(cache("cache/restore", path="a"))), WRITER, WRITER.replace("~/.cache/uv", "a")],
            [
                workflow(PULL, job(cache("cache/restore", "x-${{ matrix.a }}-", "a"))),
                workflow(WARM, job(cache("cache/save", "x-${{ matrix.a }}-", "b", ""))),
            ],
        ],
    ),
    # CI-09
    "cache-workspace": (
        [
            [workflow("env: {GOCACHE: '${{ github.workspace }}/.go'}\n" + PULL, TEST)],
            [workflow(PULL, job("make", head="env: {PIP_CACHE_DIR: .cache/pip}"))],
            [workflow(PULL, job("{run: make, env: {UV_CACHE_DIR: ./.uv}}"))],
            [workflow(PULL, job(f"{{uses: {GO.replace('true', 'false')}}}", head="env: {GOCACHE: ./.go}"))],
            [workflow(PULL, job("export GOCACHE=$PWD/.gocache"))],
            [workflow(PULL, job('echo "GOCACHE=$GITHUB_WORKSPACE/.go" >> "$GITHUB_ENV"'))],
        ],
        [
            [
                workflow(
                    "env: {PIP_CACHE_DIR: .cache/pip}\n" + PULL,
                    TEST,
                    job(cache("cache/restore", path=".cache/pip"), name="other"),
                )
            ],
            [workflow(PULL, job("make", head="env: {GOCACHE: /tmp/go}"))],
            [workflow(PULL, job("make", head="env: {GOCACHE: '~/.go'}"))],
            [workflow(PULL, job("make", head="env: {GOCACHE: 'off'}"))],
            [
                workflow(PULL, job(cache("cache/restore", path=".cache/pip"), head="env: {PIP_CACHE_DIR: .cache/pip}")),
                WRITER,
            ],
            [
                workflow(
                    PULL,
                    job(
                        cache("cache/restore", path="${{ env.PIP_CACHE_DIR }}"), head="env: {PIP_CACHE_DIR: .cache/pip}"
                    ),
                )
            ],
            [workflow(PULL, job("{uses: actions/setup-go@v5}", head="env: {GOCACHE: ./.go}"))],
        ],
    ),
    # CI-07
    "cache-warm-reads": (
        [
            [workflow("name: Warm\n" + WARM, job(cache()))],
            [workflow(WARM, job(RESTORE, cache("cache/save", more=""), name="warm-cache"))],
        ],
        [
            [workflow("name: Warm\n" + WARM, job(cache("cache/save", more="")))],
            [workflow("name: Warm\n" + WARM, job(cache(more="")))],
            [workflow("name: Tests\n" + WARM, job(cache()))],
            [workflow("name: Warm\n" + BOTH, job(cache()))],
        ],
    ),
    # CI-06
    "cache-runner": (
        [
            [saves(LOCKED).replace(UBUNTU, by_matrix(UBUNTU, "macos-15"))],
            [
                workflow(
                    WARM,
                    job(cache(key=LOCKED), head=f"strategy: {{matrix: {{os: [{UBUNTU}, macos-15]}}}}").replace(
                        f"runs-on: {UBUNTU}", "runs-on: '${{ matrix.os }}'"
                    ),
                )
            ],
        ],
        [
            [WRITER.replace(UBUNTU, by_matrix(UBUNTU, "macos-15"))],
            [saves(LOCKED).replace(UBUNTU, by_matrix(UBUNTU, WINDOWS))],
            [saves(LOCKED).replace(UBUNTU, "[self-hosted, linux]")],
            [
                workflow(WARM, job(cache("cache/save", LOCKED, more=CROSS))).replace(
                    UBUNTU, by_matrix(UBUNTU, "macos-15")
                )
            ],
        ],
    ),
    # CI-14
    "cache-untrusted-save": (
        [
            [workflow("on: pull_request_target\n", job(cache()))],
            [workflow("on: [issue_comment, workflow_run]\n", job(cache()))],
        ],
        [
            [workflow("on: [workflow_run, push]\n", job(cache()))],
            [workflow("on: workflow_run\n", job(RESTORE)), WRITER],
            [workflow("on: [workflow_run, push]\n", job(cache(cond="github.event_name == 'push'")))],
        ],
    ),
}
