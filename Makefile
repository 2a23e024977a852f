# One command each on a fresh machine with Python 3.11+, g++, cmake and make.

PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin
READY = $(VENV)/.ready

.PHONY: demo test fast-test lint format types core-test sanitize bench clean

$(READY): pyproject.toml CMakeLists.txt $(wildcard src/core/*.?pp src/core/criteria/*.hpp)
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet --editable . --group dev
	touch $@

demo: $(READY)          ## grow a tree on the Titanic's passenger list and show it
	@$(BIN)/python -m bough data $$($(BIN)/python -c "from bough.datasets import path; print(path('titanic'))") --target Survived --ordered Pclass=1,2,3 --ignore PassengerId
	@echo
	@$(BIN)/python -m bough grow $$($(BIN)/python -c "from bough.datasets import path; print(path('titanic'))") --target Survived --ordered Pclass=1,2,3 --ignore PassengerId --out build/titanic.json --force
	@echo
	@echo "Next: $(BIN)/bough show build/titanic.json, and the README."

test: $(READY)          ## all Python tests, on all processors
	$(BIN)/python -m pytest -n auto --dist worksteal

fast-test: $(READY)     ## without the long comparisons
	$(BIN)/python -m pytest -n auto --dist worksteal -m "not slow"

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/clang-format --dry-run --Werror $$(git ls-files 'src/core/*.cpp' 'src/core/*.hpp')

format: $(READY)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/clang-format -i $$(git ls-files 'src/core/*.cpp' 'src/core/*.hpp')

types: $(READY)
	$(BIN)/mypy

core-test:              ## the C++ core's own tests, warnings are errors
	cmake -S . -B build/core -DCMAKE_BUILD_TYPE=Release -DBOUGH_TESTS=ON -DBOUGH_WERROR=ON
	cmake --build build/core --parallel 2
	ctest --test-dir build/core --output-on-failure

sanitize:               ## the same under AddressSanitizer and UndefinedBehaviorSanitizer
	cmake -S . -B build/sanitize -DCMAKE_BUILD_TYPE=RelWithDebInfo -DBOUGH_TESTS=ON -DBOUGH_SANITIZE=ON
	cmake --build build/sanitize --parallel 2
	ctest --test-dir build/sanitize --output-on-failure

bench: $(READY)         ## time bough and its peers in one run; ARGS as bench/run.py says, such as --quick
	$(BIN)/python -m pip install --quiet --group bench
	$(BIN)/python bench/run.py $(ARGS)

clean:
	rm -rf build $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis
