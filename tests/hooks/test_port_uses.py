"""Port uses: what names a port of this machine, and the many numbers, hosts, fallbacks and files that do not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundrules_hooks.port_files import COMPOSE, PLAIN, TEST, kind
from groundrules_hooks.port_uses import LONGEST, Use, uses

PORTS = (3000, 8000, 5432)

# Each names one port of the table.
NAMED = (
    # Addresses.
    "curl http://localhost:3000/health",
    "const url = 'http://127.0.0.1:3000';",
    'TcpListener::bind("0.0.0.0:3000")',
    "let bind = '[::1]:3000'",
    "DATABASE_URL=postgres://shop:secret@localhost:5432/shop",
    "proxy: http://host.docker.internal:8000",
    'http.ListenAndServe(":8000", nil)',
    'log.Fatal(http.ListenAndServe(":8000", nil))',
    "lsof -ti :3000",
    "npx wait-on tcp:3000",
    "npx wait-on tcp://localhost:3000",
    'socket.connect(("localhost", 5432))',
    # Names.
    "PORT=3000",
    "export WEB_PORT=3000",
    "const PORT = 3000;",
    "const port: number = 3000;",
    "let port = 8000",
    "port := 8000",
    "  port: 3000,",
    '"port": 3000,',
    "'port' => 3000,",
    "server.port=3000",
    'settings["API_PORT"] = "8000"',
    "serverPort = 3000",
    "app.run(host='0.0.0.0', port=8000)",
    ".port(3000)",
    "port 3000",
    # Options and calls.
    "vite --port 3000",
    "vite --port=3000",
    "next dev -p 3000",
    "docker run -p 3000:3000 web",
    "docker run -p 127.0.0.1:5432:5432 db",
    "psql -h localhost -p 5432 shop",
    '"dev": "next dev -p 3000",',
    '["--port", "3000"]',
    "app.listen(3000, () => {});",
    "server.listen( 3000 )",
    'server.bind("localhost", 3000)',
    "python -m http.server 8000",
    "manage.py runserver 8000",
    "manage.py runserver 0.0.0.0:8000",
    "kill-port 3000",
    "url = 'http://localhost:3000'  # the front end",
)

# None of these does.
OTHER = (
    # Longer numbers, and other things.
    "PORT=30000",
    "PORT=13000",
    "localhost:30001",
    "version = '3000.1'",
    "localhost:3000.5",
    "color: #300030; z-index: 3000",
    "sleep 3000",
    "timeout: 3000",
    "setTimeout(done, 3000)",
    "max_connections = 3000",
    "id: 3000",
    "sha = 'a3000b'",
    "2026-11-30T12:30:00",
    "total = 8000 + 5432",
    "import 3000",
    "report: 3000",
    "support = 8000",
    "viewport: 3000",
    "transport: 3000",
    "passport=3000",
    "at 12:3000",
    "x[0:3000]",
    "mkdir -p build/3000",
    # Another host, or a container.
    "http://web:3000",
    "http://example.org:3000",
    "postgres://shop:secret@db:5432/shop",
    "redis = Redis(host='redis', port=5432)",
    "psql -h db -p 5432 shop",
    "containerPort: 3000",
    "targetPort: 8000",
    "internal_port = 8000",
    "docker run -p ${WEB_PORT}:3000 web",
    '-p "$DB_PORT":5432',
    "docker exec web curl http://localhost:3000",
    "docker compose exec web curl http://localhost:3000",
    # The variable is read, and the number is used where there is none.
    "PORT=${WEB_PORT:-3000}",
    "url=http://localhost:${WEB_PORT:-3000}",
    'port = int(os.environ.get("WEB_PORT", 3000))',
    'port = os.getenv("WEB_PORT", "3000")',
    "const port = process.env.API_PORT || 8000;",
    "const port = process.env.API_PORT ?? 8000;",
    "port ENV.fetch('PORT', 3000)",
    "PORT ?= 3000",
    'port: env::var("PORT").unwrap_or("8000")',
    'Environment.GetEnvironmentVariable("PORT") ?? "3000"',
    "const url = baseUrl() || 'http://localhost:3000'",
    "  : 'http://localhost:3000'",
    'parser.add_argument("--port", default=8000)',
    "    web_port: int = 3000",
    'typer.Option("http://localhost:8000")',
    # Only said.
    "# runs on localhost:3000",
    "// listen(3000)",
    " * @param url http://localhost:3000",
    "<!-- http://localhost:3000 -->",
    "x = 1  # port=3000",
    "x = 1; // port = 3000",
    'echo "open http://localhost:3000"',
    'print("http://localhost:3000")',
    "console.log('on http://localhost:3000');",
    'info!("listening: https://localhost:3000")',
    'help = "for example http://localhost:3000"',
    "findAvailablePort(5432)",
)


def found(text: str, what: str = PLAIN) -> list[int]:
    return [use.port for use in uses(text, what, PORTS)]


@pytest.mark.parametrize("line", NAMED)
def test_a_port_of_this_machine_is_seen(line: str) -> None:
    (use,) = uses(f"x\n{line}\n", PLAIN, PORTS)
    assert use.line == 2
    assert line[use.start :].startswith(str(use.port))


@pytest.mark.parametrize("line", OTHER)
def test_another_number_is_left_alone(line: str) -> None:
    assert found(line) == []


def test_each_port_is_told_once_a_line_where_it_first_stands() -> None:
    line = "origins=http://localhost:3000,http://127.0.0.1:3000,http://localhost:8000"
    assert list(uses(line, PLAIN, PORTS)) == [Use(1, 25, 3000), Use(1, 69, 8000)]


@pytest.mark.parametrize(
    ("above", "line", "seen"),
    [
        ('host = "db"', "port = 5432", False),
        ("POSTGRES_HOST=db\nPOSTGRES_USER=x", "POSTGRES_PORT=5432", False),
        ("host: localhost", "port: 5432", True),
        ('host = "127.0.0.1"', "port = 5432", True),
        ("host: ${HOST}", "port: 5432", True),
        ('if port == "" {', 'port = "8000"', False),
        ("if [ -z $PORT ]; then", "PORT=3000", False),
        ("if (!module.parent) {", "app.listen(3000);", True),
        ("DEFAULTS = {", "port: 3000", False),
        ("def default_settings():", "'port': 3000", False),
        ("export default defineConfig({", "port: 3000", True),
        ("default_url_options = {", "port: 3000", True),
        ("unless ENV['PORT']", "port = 3000", False),
        ("if (!process.env.PORT) {", "process.env.PORT = 3000;", False),
        ("if not port:", "port = 3000", False),
        ("if not done:", "listen(3000)", True),
        ("def serve(\n    app,", "    port=8000,", False),
        ("uvicorn.run(\n    app,", "    port=8000,", True),
        ("def serve(app):", "    listen(8000)", True),
        ('os.getenv(\n    "URL",', '    "http://localhost:3000",', False),
        ("process.env.URL ||", "  'http://localhost:3000',", False),
        ("process.env.URL ??=", "  'http://localhost:3000',", False),
        ("const url =", "  'http://localhost:3000'", True),
        ("export const Mail = ({", "  link = 'http://localhost:3000',", False),
        ("open: true, host: true,", "port: 3000", True),
        ("host: http://localhost", "port: 3000", True),
        ("host: http://db", "port: 3000", False),
        ("/*", "listen(3000)", False),
        ("/* one */", "listen(3000)", True),
        ('include = ["src/*"]', "port = 3000", True),
        ('"""A text', "port = 3000", False),
        ('"""A text."""', "port = 3000", True),
        ("- 'perl -e ''x'''", "port: 3000", True),
        ('text = f"""', "port: 3000", False),
        ('text = """\\', "port: 3000", False),
        ('text = """Run', "port: 3000", False),
        ("apiVersion: v1", "port: 3000", False),
        ("mod tests {", 'url = "http://localhost:3000"', False),
    ],
)
def test_the_lines_above_may_tell(above: str, line: str, *, seen: bool) -> None:
    assert (found(f"{above}\n{line}\n") != []) is seen


# DAT-11
@pytest.mark.parametrize(
    ("line", "seen"),
    [
        ('      - "3000:3000"', True),
        ("      - 3000:80", True),
        ("      - '127.0.0.1:3000:3000'", True),
        ("      - 3000:3000/tcp", True),
        ('    ports: ["3000:3000"]', True),
        ('    ports: ["8080:80", "3000:3000"]', True),
        ('      - "127.0.0.1:3000:$PORT"', True),
        ('      - "2999-3001:2999-3001"', True),
        ("      - 127.0.0.1:3000-3005:3000-3005", True),
        ('        published: "2990-3000"', True),
        ('      - "3001-3005:3001-3005"', False),
        ('      - "3000-3005"', False),
        ('      - "4000-4005:3000-3005"', False),
        ("        published: 3000", True),
        ('        published: "3000"', True),
        ("      BASE_URL: http://localhost:3000", True),
        ("      - URL=http://localhost:3000/path", True),
        ('      - "${WEB_PORT}:3000"', False),
        ('      - "${WEB_PORT:-3000}:3000"', False),
        ('      - "8080:3000"', False),
        ('      - "3000"', False),
        ("        target: 3000", False),
        ("    expose: [3000]", False),
        ("    command: serve --port 3000", False),
        ("      PORT: 3000", False),
        ("      ADDRESS: 0.0.0.0:3000", False),
        ("      URL: http://web:3000", False),
        ("      test: curl http://localhost:3000", False),
        ("    healthcheck:\n      test:\n        - CMD\n        - curl http://localhost:3000", False),
        ("    command:\n    - serve\n    - http://localhost:3000", False),
    ],
)
def test_a_compose_file_publishes_on_the_left_side(line: str, *, seen: bool) -> None:
    text = f"services:\n  web:\n    ports:\n{line}\n"
    assert (found(text, COMPOSE) != []) is seen
    assert found(text, PLAIN) == found(text, COMPOSE)  # whatever its name


def test_a_range_stands_where_it_begins() -> None:
    line = '      - "2999-8000:2999-8000"'
    assert list(uses(line, COMPOSE, (3000, 8000, 9000))) == [Use(1, 9, 3000), Use(1, 9, 8000)]


def test_a_line_that_nobody_wrote_by_hand_is_left_alone() -> None:
    line = "PORT=3000;" + " " * (LONGEST - len("PORT=3000;"))
    assert found(line) == [3000]
    assert found(line + " ") == []


# A form that tries every way to split a name, or a line once for each word, does not end in time.
@pytest.mark.parametrize(
    ("start", "part"),
    [
        *(("", part) for part in ("a_", "a.b-", "-", "--a.a-", "-Xport.", "=", "if ", "[ ", "def ", "PORT=3000 ")),
        *(("", part) for part in ("default ", "function (", "serve a ", "serve ", "echo '", "a: b = ")),
        *(("nc ", part) for part in ("-ll ", "-l ", "-lnc ", "fuser -", "mysql ", "port-forward ")),
        *(("set", " "), ("Ipv4Addr.", "any"), ("if ", "=")),
    ],
)
def test_a_long_line_is_read(monkeypatch: pytest.MonkeyPatch, start: str, part: str) -> None:
    length = 100_000  # at which the square of it takes minutes
    monkeypatch.setattr("groundrules_hooks.port_uses.LONGEST", 2 * length)
    line = f"{start}{part * (length // len(part))} x PORT"
    assert found(f"{line} 3000\n{line}=3000\n\n\n\nport = 3000")[-1:] == [3000]


# PRT-07
@pytest.mark.parametrize(
    ("line", "seen"),
    [
        ("server.listen(3000)", True),
        ("await app.listen({ port: 3000 })", True),
        ("app.run(debug=True, port=8000)", True),
        ("new WebSocketServer({ port: 3000 })", True),
        ("await startServer({ port: 3000 })", True),
        ("server = StubServer(port=3000)", False),
        ("new Client({ port: 3000 })", False),
        ('server.bind(("127.0.0.1", 8000))', True),
        ('server.listen(":8000")', True),
        ("expect(url).toBe('http://localhost:3000/x')", False),
        ('"server": ("127.0.0.1", 8000)', False),
        ("port: 3000", False),
    ],
)
def test_a_test_is_judged_for_what_it_takes(line: str, *, seen: bool) -> None:
    assert (found(line, TEST) != []) is seen


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        *(
            (path, PLAIN)
            for path in ("src/server.js", "Makefile", "package.json", "Procfile.dev", ".env", ".env.local")
        ),
        *((path, PLAIN) for path in ("config/base.yaml", "bin/dev", "vite.config.ts", "e2e/playwright.config.ts")),
        *((path, PLAIN) for path in ("tests/run.sh", ".env.test", "app/settings/dev.py", "latest.py")),
        *((path, COMPOSE) for path in ("compose.yaml", "docker-compose.dev.yml", "docker/docker-compose.yml")),
        *((path, TEST) for path in ("tests/test_x.py", "src/a.test.ts", "a_test.go", "spec/a.rb", "e2e/x.ts")),
        *((path, TEST) for path in ("cartMocks.ts", "Button.stories.tsx")),
        *((path, "") for path in ("README.md", "docs/conf.py", "notes.txt", "locales/de.json", "web/docs/x.ts")),
        *((path, "") for path in ("package-lock.json", "uv.lock", "yarn.lock", "go.sum", "x.min.js", "dist/x.js")),
        *((path, "") for path in ("groundrules.toml", ".slot.env", ".copier-answers.yml", "vendor/x.go", "x.svg")),
        *((path, "") for path in (".env.example", "config.sample.toml", ".env.example-e2e", "compose.example.yml")),
        *((path, "") for path in ("Dockerfile", "Dockerfile.dev", "docker/start.sh", "entrypoint.sh", "nginx.conf")),
        *((path, "") for path in ("src/__fixtures__/a.sh", "test/server.tst.ts", "server.test-d.ts", "src/env.d.ts")),
        *((path, "") for path in ("configuration_example.py", "settings-sample.php", "cloudbuild.yaml")),
        *((path, "") for path in ("man/web.1", "dofigen.yml", "web-deployment.yaml")),
        *((path, "") for path in ("example_output.json", "sample-data.yaml")),
        *((path, PLAIN) for path in ("hello_example.py", "config.py")),
        *((path, "") for path in (".github/workflows/ci.yml", ".gitlab-ci.yml", ".github/docker-compose.yml")),
        *(
            (path, "")
            for path in ("deploy/run.sh", "helm/values.yaml", "main.tf", "compose.prod.yml", ".env.production")
        ),
    ],
)
def test_the_path_tells_what_a_file_is(path: str, expected: str) -> None:
    assert kind(path) == expected


@given(st.text(), st.sampled_from([PLAIN, COMPOSE, TEST]))
def test_any_text_is_read(text: str, what: str) -> None:
    lines = [*text.split("\n"), "port = 3000"]
    for use in uses("\n".join(lines), what, PORTS):
        assert lines[use.line - 1][use.start :].startswith(str(use.port))


@given(st.sampled_from([line for line in NAMED if "3000" in line]), st.from_regex(r"[0-9]+", fullmatch=True))
def test_a_longer_number_is_another_one(line: str, more: str) -> None:
    assert 3000 not in found(line.replace("3000", f"3000{more}"))
    assert 3000 not in found(line.replace("3000", f"{more}3000"))
