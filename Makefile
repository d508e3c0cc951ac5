# Managed: kept current by `make update`. The repository's own targets go in local.mk.
.DEFAULT_GOAL := help
.PHONY: setup hooks task slot up down ps logs check handoff gate update help

setup: hooks ## make a fresh clone ready

hooks: ## install the git hooks
	@sh tools/groundrules hooks

task: ## start a task in a worktree of its own (ID=T1-cart)
	@sh tools/groundrules task start "$(ID)" $(ARGS)

slot: ## show this worktree's slot, ports and names
	@sh tools/groundrules slot

up: ## bring up the stack of this worktree, ready on return
	@sh tools/groundrules up

down: ## stop the stack of this worktree (ARGS=--data deletes its data too)
	@sh tools/groundrules down $(ARGS)

ps: ## show what runs (ARGS=--all for every worktree)
	@sh tools/groundrules ps $(ARGS)

logs: ## show what the services wrote (ARGS="api -f")
	@sh tools/groundrules logs $(ARGS)

check: ## run the checks that this task needs (ARGS=NAME, ARGS="--tier deep")
	@sh tools/groundrules check run $(ARGS)

handoff: ## seal the handoff of this task (ARGS="--unresolved none --deviations none --commit")
	@sh tools/groundrules handoff seal $(ARGS)

gate: ## run every rule over the commits that the target does not have (ARGS=--rerun runs checks too)
	@sh tools/groundrules gate $(ARGS)

update: ## bring in the next version of the ground rules (ARGS="--data forge=gitlab" for another answer)
	@sh tools/groundrules update $(ARGS)

help: ## list these targets
	@awk -F ':.*## ' '/^[A-Za-z0-9_-]+:.*## / { printf "make %-9s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

-include local.mk
