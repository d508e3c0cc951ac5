"""Traps of gates, labels and the queue: workflows that have each, and benign ones that look like them."""

from __future__ import annotations

import json

from scaffolder.workflows.text import (
    BOTH,
    CANCELLED,
    FAILED,
    GATE,
    LINT,
    LOOKS,
    PULL,
    QUEUE,
    TEST,
    WARM,
    gate,
    job,
    workflow,
)

BY_LABEL = "if: github.event.label.name == 'smoke'"
MAIN = "push: {branches: [main]}"
ON_PULL = "if: github.event_name == 'pull_request'"


def cancels(group: str, when: str = "true") -> str:
    """Return a group of runs of which a newer one cancels an older one."""
    return f"concurrency: {{group: '{group}', cancel-in-progress: \"{when}\"}}\n"


def compares(base: str) -> str:
    """Return a step that compares with a variable that is `base`."""
    return f"{{run: 'git diff $BASE HEAD', env: {{BASE: '${{{{ {base} }}}}'}}}}"


def judged(step: str = LOOKS, condition: str = "always()") -> str:
    """Return a workflow whose gate, under `condition`, does `step`; it has the results in a variable."""
    head = "needs: [lint, test]\nenv: {RESULTS: \"${{ join(needs.*.result, ' ') }}\"}"
    return workflow(QUEUE, LINT, TEST, gate(f'{head}\nif: "{condition}"' if condition else head, step))


def by_label(condition: str, step: str = "x") -> str:
    """Return a workflow that a label and a push start, with a job under `condition`."""
    on = "on: {pull_request: {types: [opened, synchronize, labeled]}}\n"
    return workflow(on, job(step, head=f'if: "{condition}"'))


def labeled(*events: str, by: str = BY_LABEL, ends: str = gate()) -> str:
    """Return a workflow that `events` and nothing but a label start, with the job test under `by`, and `ends`."""
    on = ", ".join(["pull_request: {types: [labeled]}", *events])
    return workflow(f"on: {{{on}}}\n", LINT, job("x", head=by), ends)


def script(*lines: str) -> str:
    """Return a step that runs several lines."""
    return json.dumps({"run": "\n".join(lines)})


CASES: dict[str, tuple[list[list[str]], list[list[str]]]] = {
    "required-path-filter": (
        [
            [workflow("on: {pull_request: {paths: [src/**]}, merge_group: }\n", gate("", "make"))],
            [workflow("on: {pull_request: {paths-ignore: [docs/**]}}\n", LINT, TEST, gate(name="ci-ok"))],
        ],
        [
            [workflow("on: {pull_request: {branches: [main]}, merge_group: }\n", gate("", "make"))],
            [workflow("on: {pull_request: {paths: [src/**]}}\n", TEST)],
            [
                workflow("on: {pull_request: {paths: [src/**]}}\n", gate("", "make")),
                workflow("on: {pull_request: {paths-ignore: [src/**]}}\n", gate("", "true")),
            ],
        ],
    ),
    # CI-02
    "gate-not-always": (
        [
            [judged(condition="${{ !cancelled() && !failure() }}")],
            [judged("true", "")],
            [judged("true", "success()")],
            [judged("true")],
            [workflow(QUEUE, LINT, TEST, gate(GATE, "test ${{ needs.lint.result }} = success", "all-checks-passed"))],
            [workflow(QUEUE, LINT, TEST, gate(GATE, "make"))],
            [judged("make", "cancelled()")],
            # a need that ran out of time is cancelled, and has not failed
            [judged("exit 1", "failure()")],
            [judged(condition="success() || failure()")],
            # nothing fails
            [judged('echo "$RESULTS"')],
            [judged("echo no", "failure() || cancelled()")],
            [judged(script("printf '%s' \"${{ needs.lint.result || 'none' }} | ${{ needs.test.result }}\"", "exit 0"))],
            [judged(script("cat <<EOF | tee -a $GITHUB_STEP_SUMMARY", "false && ${{ toJSON(needs) }}", "EOF"))],
            [
                judged(
                    script('if [ "$RESULTS" != "success success" ]; then', '  echo "::error::no" >&2', "fi", "# exit 1")
                )
            ],
            [
                judged(
                    script("if [ ${RESULTS} = x ] && true; then echo no", "elif false || false; then", "echo yes", "fi")
                )
            ],
            [judged(script("echo ${{ needs.lint.result || needs.test.result }} \\", "  the result"))],
            [judged("{run: 'test \"$RESULTS\" = success', continue-on-error: true}")],
            # failure alone
            [judged(f'{{run: exit 1, if: "{FAILED}"}}')],
            [judged(f'{{run: exit 1, if: "{FAILED}"}}\n      - {{run: echo}}\n      - {{run: ./tell, if: failure()}}')],
            [judged(f'{{run: exit 1, if: "{FAILED}"}}', "${{ !cancelled() }}")],
            [judged("exit 1", f"always() && {FAILED}")],
            [judged(script('case "$RESULTS" in *failure*)', '  echo "one was cancelled"; exit 1;; esac'))],
            [judged(script('if [[ "$RESULTS" == *failure* ]]; then echo "no success"; exit 1; fi'))],
            [judged(script('[[ "$RESULTS" != *failure* ]] || { echo "no success"; exit 1; }'))],
            [judged(script('[[ "$RESULTS" != *failure* ]] && echo "none cancelled"'))],
            [judged("{run: 'test $BAD = false', env: {BAD: \"${{ contains(needs.*.result, 'failure') }}\"}}")],
            [judged(script('echo "all are a success, or skipped"', '[[ "$RESULTS" != *failure* ]]'))],
        ],
        [
            [workflow(QUEUE, LINT, TEST, "  gate: {needs: [lint, test], uses: ./.github/workflows/x.yml}\n")],
            [judged()],
            # a job whose whole condition is this is cancelled with its run, and not skipped
            [judged(condition="${{ !cancelled() }}")],
            [workflow(QUEUE, LINT, TEST, gate("needs: [lint, test]\nif: failure() || cancelled()", "exit 1"))],
            [judged("./after failure", "failure() || cancelled()")],
            [judged("exit 1", f"always() && ({FAILED} || {CANCELLED})")],
            [judged("test ${{ needs.lint.result }}${{ needs[''test''].result }} = successsuccess")],
            [judged("{uses: re-actors/alls-green@v1, with: {jobs: '${{ toJSON(needs) }}'}}")],
            [judged("{run: 'assert False', shell: python, env: {R: '${{ toJSON(needs) }}'}}")],
            [judged(script('echo "$RESULTS"', '[[ "$RESULTS" != *failure* && "$RESULTS" != *cancelled* ]]'))],
            [judged(script('echo "$RESULTS" | grep -v failure | grep -v cancelled'))],
            [judged(script('[ "$RESULTS" = "success success" ] && echo yes'))],
            [judged(script('if [ "$RESULTS" != "success success" ]; then exit 1; fi'))],
            [judged("./judge").replace("steps:\n", "steps:\n      - {run: make, if: failure()}\n")],
            [judged("./judge").replace("steps:\n", f'steps:\n      - {{run: ./tell, if: "{FAILED}"}}\n')],
            [judged(f'{{run: exit 1, if: "{FAILED}"}}\n      - {{uses: some/judge@v1, if: "!{FAILED}"}}')],
            [judged(script("cat verdict"))],
            [judged(script('echo "are they?" && [ "$RESULTS" = "success success" ]'))],
            [judged(script("if ($env:RESULTS -ne 'success success') { exit 1 }"))],
            [judged('{run: \'if not "%RESULTS%"=="success success" exit 1\', shell: cmd}')],
            [
                judged(
                    script(
                        'case "$RESULTS" in',
                        "  *failure*) exit 1;;",
                        '  "success success") ;;',
                        "  *) exit 1;;",
                        "esac",
                    )
                )
            ],
            [judged(f'{{run: exit 1, if: "{FAILED}"}}').replace("steps:\n", "steps:\n      - uses: some/judge@v1\n")],
            [judged(f'{{run: exit 1, if: "{FAILED} || cancelled()"}}')],
            [
                judged('echo "$RESULTS"', condition="always()").replace(
                    "steps:\n", "steps:\n      - uses: some/judge@v1\n"
                )
            ],
            [workflow(QUEUE, LINT, TEST, job("make deploy", name="deploy", head="needs: [lint, test]"))],
        ],
    ),
    "gate-missing-need": (
        [[workflow(QUEUE, LINT, TEST, job("make e2e", name="e2e"), gate())]],
        [
            [workflow(QUEUE, LINT, TEST, gate())],
            [
                workflow(QUEUE, LINT, TEST, job("x", name="before"), gate()).replace(
                    "  lint:\n", "  lint:\n    needs: before\n"
                )
            ],
            [workflow(QUEUE, LINT, TEST, job("x", name="after", head="needs: gate"), gate())],
            [workflow(QUEUE, LINT, TEST, job("x", name="try", head="continue-on-error: true"), gate())],
            [workflow(QUEUE, LINT, TEST, job("x", name="tell", head="needs: lint\nif: failure()"), gate())],
            [workflow(QUEUE, LINT, TEST, job("x", name="coverage"), gate())],
            [
                workflow(
                    "on: [pull_request, push]\n",
                    LINT,
                    TEST,
                    job("x", name="ship", head="if: github.event_name == 'push'"),
                    gate(),
                )
            ],
            [workflow(QUEUE, LINT, TEST, job("x", name="e2e"), gate(name="tests-passed"))],
        ],
    ),
    # CI-01
    "merge-group-missing": (
        [
            [workflow(PULL, LINT, TEST, gate())],
            [workflow(QUEUE, TEST), workflow(PULL, LINT, TEST, gate(name="ci-ok"))],
        ],
        [
            [workflow(QUEUE, LINT, TEST, gate())],
            [workflow(PULL, LINT, TEST, gate(name="ci-ok"))],
            [workflow(WARM, LINT, TEST, gate())],
        ],
    ),
    # CI-03
    "label-unlabeled": (
        [
            [by_label("!contains(github.event.pull_request.labels.*.name, 'skip')")],
            [by_label("contains(github.event.pull_request.labels.*.name, 'skip') == false")],
            [by_label("!(contains(github.event.pull_request.labels.*.name, 'a') || github.event.pull_request.draft)")],
            [by_label("github.actor != 'bot' && !contains(join(github.event.pull_request.labels.*.name, ' '), 'x')")],
            [by_label("!contains(toJSON(github.event.pull_request.labels), 'skip') || contains(github.actor, 'bot')")],
            [
                by_label(
                    "contains(github.event.pull_request.labels.*.name, 'do-not-merge')", script("echo no", "exit 1")
                )
            ],
            [
                workflow(
                    "on: {pull_request: {types: [synchronize, labeled]}}\n",
                    job(
                        "test \"${{ contains(github.event.pull_request.labels.*.name, ''ok'') }}\" = true".replace(
                            '"', ""
                        )
                    ),
                )
            ],
            [
                workflow(
                    "on: {pull_request: {types: [synchronize, labeled]}}\n",
                    LINT,
                    job("x", head="if: contains(github.event.pull_request.labels.*.name, 'deep')"),
                    gate(),
                )
            ],
            # a merge waits for what a label alone starts
            [labeled("merge_group: ", MAIN)],
            [labeled()],
            [labeled(ends=gate(BY_LABEL, "make"))],
            [labeled(ends=gate(name="ci-ok"))],
            # the gate needs it by way of another
            [labeled(ends=job("x", name="deep", head="needs: [lint, test]") + gate("needs: deep\nif: always()"))],
        ],
        [
            [labeled("merge_group: ", MAIN).replace("labeled]", "labeled, unlabeled]")],
            [labeled("merge_group: ", MAIN, ends="")],
            [labeled(by="if: \"!contains(github.event.pull_request.labels.*.name, 'skip')\"", ends="")],
            [labeled("merge_group: ", MAIN, ends=gate("needs: lint\nif: always()"))],
            [
                # the gate does not need it
                by_label("contains(github.event.pull_request.labels.*.name, 'preview')")
                + LINT
                + gate("needs: lint\nif: always()")
            ],
            [
                by_label("!contains(github.event.pull_request.labels.*.name, 'skip')").replace(
                    "labeled]", "labeled, unlabeled]"
                )
            ],
            [by_label("contains(github.event.pull_request.labels.*.name, 'preview')")],
            [by_label("contains(github.event.pull_request.labels.*.name, 'preview') && github.actor != 'bot'")],
            [by_label("contains(github.event.pull_request.labels.*.name, 'deep') || !contains(github.actor, 'bot')")],
            [by_label("github.event_name == 'push' && !contains(github.event.pull_request.labels.*.name, 'skip')")],
            [by_label("contains(github.event.pull_request.labels.*.name, 'a')", "{run: exit 1, if: failure()}")],
            [by_label("contains(github.event.pull_request.labels.*.name, 'a')", script("make || exit 1"))],
            [
                workflow(
                    "on: {pull_request: {types: [labeled]}}\n",
                    job("x", head="if: contains(github.event.pull_request.labels.*.name, 'backport')"),
                )
            ],
            [workflow("on: {pull_request: {types: [synchronize, labeled]}}\n", TEST)],
        ],
    ),
    # CI-04
    "label-event-name": (
        [
            [
                workflow(
                    "on: {pull_request: {types: [labeled, synchronize]}}\n",
                    job("x", head=BY_LABEL),
                )
            ],
            [workflow(PULL, job("{run: x, if: \"github.event.label.name == 'smoke'\"}"))],
            [
                workflow(
                    "on: {pull_request: {types: [labeled]}, workflow_dispatch: }\n",
                    job("x", head=BY_LABEL),
                )
            ],
            # a merge waits for the job
            [labeled("merge_group: ", MAIN)],
            [labeled("merge_group: ")],
            [labeled(MAIN)],
            [labeled(MAIN, ends=gate(BY_LABEL, "make"))],
            [labeled(MAIN, by="", ends=gate("", "{run: x, if: \"github.event.label.name == 'smoke'\"}"))],
            # there is no other job
            [workflow(f"on: {{pull_request: {{types: [labeled]}}, {MAIN}}}\n", job("x", head=BY_LABEL))],
        ],
        [
            [labeled()],
            [workflow("on: {issues: {types: [labeled]}, workflow_dispatch: }\n", job("x", head=BY_LABEL))],
            [labeled(MAIN, by="if: github.event_name == 'push' || github.event.label.name == 'smoke'")],
            # the other jobs are for the other events
            [labeled("merge_group: ", MAIN, ends="")],
            [labeled("merge_group: ", MAIN, ends=gate("needs: lint\nif: always()"))],
            [labeled("workflow_dispatch: ")],
            [
                workflow(
                    "on: {pull_request: {types: [labeled, opened]}}\n",
                    job("x", head="if: github.event.action == 'labeled' && github.event.label.name == 'smoke'"),
                )
            ],
            [
                workflow(
                    "on: [pull_request, push]\n",
                    job("x", head="if: github.event_name == 'push' && github.event.label.name == 'smoke'"),
                )
            ],
            [
                workflow(
                    "on: {pull_request: {types: [labeled, synchronize]}}\n",
                    job("x", head="if: contains(github.event.pull_request.labels.*.name, 'smoke')"),
                )
            ],
            [
                workflow(
                    "on: {pull_request: {types: [labeled]}}\n",
                    job("x", head="if: github.event.label.name == 'backport'"),
                )
            ],
            [
                workflow(
                    "on: {pull_request: {types: [labeled]}, workflow_dispatch: }\n",
                    job("x", head="if: github.event_name == 'workflow_dispatch' || github.event.label.name == 'smoke'"),
                )
            ],
            [
                workflow(
                    "on: {issues: {types: [labeled, opened]}}\n", job("x", head="if: github.event.label.name == 'bug'")
                )
            ],
            [
                workflow(
                    "on: {pull_request: {types: [labeled, opened]}}\n",
                    job("x", head="if: github.event.action == 'opened' || github.event.label.name == 'smoke'"),
                )
            ],
        ],
    ),
    # CI-18
    "cancel-main": (
        [
            [workflow(cancels("${{ github.ref }}") + BOTH, TEST)],
            [
                workflow(
                    cancels("${{ github.workflow }}-${{ github.head_ref || github.ref }}") + "on: [push]\n",
                    TEST,
                )
            ],
            [
                workflow(
                    cancels("x", "${{ github.event_name != 'schedule' }}") + BOTH,
                    TEST,
                )
            ],
            [workflow(cancels("${{ github.head_ref }}") + QUEUE, TEST)],
            [workflow(BOTH, job("x", head="concurrency: {group: x, cancel-in-progress: true}"))],
        ],
        [
            [
                workflow(
                    cancels("x", "${{ github.event_name == 'pull_request' }}") + BOTH,
                    TEST,
                )
            ],
            [
                workflow(
                    cancels("x", "${{ github.ref != 'refs/heads/main' }}") + BOTH,
                    TEST,
                )
            ],
            [
                workflow(
                    cancels("x", "${{ startsWith(github.ref, 'refs/pull/') }}") + BOTH,
                    TEST,
                )
            ],
            [
                workflow(
                    cancels("${{ github.head_ref || github.run_id }}") + BOTH,
                    TEST,
                )
            ],
            [
                workflow(
                    cancels("${{ github.event.pull_request.number || github.sha }}") + BOTH,
                    TEST,
                )
            ],
            [workflow(cancels("${{ github.ref }}") + QUEUE, TEST)],
            [workflow("concurrency: {group: '${{ github.ref }}'}\n" + BOTH, TEST)],
            [workflow("concurrency: main\n" + BOTH, TEST)],
            [workflow("name: Publish\n" + cancels("x") + WARM, TEST)],
            [workflow(cancels("x") + "on: {push: {branches-ignore: [main]}}\n", TEST)],
            [
                workflow(
                    BOTH,
                    job(
                        "x",
                        head=f"{ON_PULL}\n{cancels('x')}",
                    ),
                )
            ],
        ],
    ),
    "queue-range": (
        [
            [workflow(QUEUE, job("git diff --name-only origin/main...HEAD"))],
            [workflow(QUEUE, job("base=$(git merge-base origin/main HEAD)"))],
            [workflow(QUEUE, job(compares("github.event.pull_request.base.sha")))],
            [workflow(QUEUE, job("git log origin/${{ github.base_ref }}..HEAD"))],
        ],
        [
            [workflow(PULL, job("git diff --name-only origin/main...HEAD"))],
            [workflow(QUEUE, job("{run: git diff origin/main...HEAD, if: github.event_name == 'pull_request'}"))],
            [
                workflow(
                    QUEUE,
                    job(compares("github.event.pull_request.base.sha || github.event.merge_group.base_sha")),
                )
            ],
            [workflow(QUEUE, job("git fetch origin main"))],
            [workflow(QUEUE, job("git diff --exit-code"))],
        ],
    ),
    "skip-as-pass": (
        [
            [workflow(QUEUE, gate("if: github.event_name == 'pull_request'", "make"))],
            [workflow(QUEUE, gate("if: contains(github.event.pull_request.labels.*.name, 'x')", "make"))],
            [workflow(QUEUE, LINT, TEST, gate("needs: [lint, test]\nif: always() && needs.lint.outputs.x != ''"))],
        ],
        [
            [workflow(QUEUE, LINT, TEST, gate())],
            [workflow(QUEUE, LINT, TEST, gate("needs: [lint, test]\nif: failure() || cancelled()", "exit 1"))],
            [workflow(QUEUE, gate("if: github.repository == 'a/b'", "make"))],
            [workflow(QUEUE, gate('if: "!github.event.pull_request.draft"', "make"))],
            [workflow(QUEUE, job("x", head=ON_PULL))],
            [workflow("on: [pull_request, push]\n", gate("if: github.event_name == 'pull_request'", "make"))],
        ],
    ),
}
