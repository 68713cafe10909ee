# SPDX-License-Identifier: Apache-2.0
# The only place that knows how to build. Steps log to build/logs; what has not changed is not built again.
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help run reset test check fmt web dist sdk bench FORCE
MAKEFLAGS += --no-print-directory

ARGS ?=
_ := $(shell mkdir -p build)
STEP := scripts/step
MODULES := domain config wire controlplane plugin-sdk plugins agent cli app
PROTOS := $(shell find wire/src/main/proto -name '*.proto')
JAVA := pom.xml .mvn/jvm.config $(shell find $(MODULES) -name target -prune -o -type f \( -path '*/src/main/*' -o -name pom.xml \) -print)
WEB := $(shell find web \( -name node_modules -o -path web/dist -o -path web/src/api/gen \) -prune -o -type f -print)
PARTS := $(shell find app/src/dist -type f) scripts/assemble scripts/train scripts/Modernise.java scripts/find-jdk LICENSE

help: ## what there is to make
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-6s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: dist ## build, then start control plane, agent and demo; ARGS="--port 18080 --data DIR" puts it elsewhere
	@exec build/dist/bin/pipecd quickstart $(ARGS)

reset: ## forget the demo's data (.quickstart)
	@rm -rf .quickstart && echo "Forgot .quickstart."

test: ## everything that is tested, ending in a summary
	@scripts/test-all

check: build/node.stamp ## the fast part: format, lint, types, architecture
	@$(STEP) "Format of Java" spotless scripts/mvn spotless:check
	@$(STEP) "Compiler's and architecture's rules" architecture scripts/mvn test -Dtest='*ArchitectureTest,*RulesTest' -Dsurefire.failIfNoSpecifiedTests=false
	@$(STEP) "Web client from the protocol" web-gen scripts/npm run gen
	@$(STEP) "Types of the web UI" web-types scripts/npm run typecheck
	@$(STEP) "Lint of the web UI" web-lint scripts/npm run lint
	@$(STEP) "Format of the web UI" web-format scripts/npm run format:check

fmt: build/node.stamp ## format all sources
	@$(STEP) "Java" fmt-java scripts/mvn spotless:apply
	@$(STEP) "Web" fmt-web scripts/npm run format

web: build/web.stamp ## the web UI, into web/dist

dist: build/dist.stamp ## the distribution, into build/dist

sdk: ## what plugins are written with, into the local Maven repository
	@$(STEP) "Plugin SDK" sdk scripts/mvn install -Dmaven.test.skip=true -pl plugin-sdk -am

bench: dist ## print speed and memory beside the public figures (ARGS=--help: its parts)
	@scripts/bench $(ARGS)

# Each stamp is dated before its work begins, so that an edit made meanwhile is built the next time.
build/java.stamp: $(JAVA) build/java.list
	@touch $@.new
	@$(STEP) "Java modules" java scripts/mvn -T2 package -Dmaven.test.skip=true -pl '!e2e' \
		dependency:build-classpath -Dmdep.outputFile=target/classpath -DincludeScope=runtime
	@mv $@.new $@

build/node.stamp: web/package.json web/package-lock.json
	@touch $@.new
	@$(STEP) "Web packages" npm-ci scripts/npm ci --prefer-offline --no-audit --no-fund
	@mv $@.new $@

build/web.stamp: $(WEB) $(PROTOS) build/web.list build/node.stamp
	@touch $@.new
	@$(STEP) "Web UI" web scripts/npm run build
	@mv $@.new $@

build/dist.stamp: build/java.stamp build/web.stamp $(PARTS)
	@touch $@.new
	@$(STEP) "Distribution" assemble scripts/assemble
	@$(STEP) "Start-up caches" train scripts/train
	@mv $@.new $@

# A deleted file leaves no date behind; the list of files does.
build/java.list build/web.list: FORCE
	$(file >$@.new,$(sort $(if $(filter %java.list,$@),$(JAVA),$(WEB) $(PROTOS))))
	@cmp -s $@.new $@ && rm $@.new || mv $@.new $@
