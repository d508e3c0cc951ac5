"""Port forms: each form names a port of this machine, and beside each stands a line like it that does not."""

from __future__ import annotations

import pytest

from groundrules_hooks.port_files import PLAIN
from groundrules_hooks.port_uses import uses

PORTS = (3000, 8000, 5432)

# What takes or asks a port of the table, and its twin, which must pass.
TWINS = (
    # Settings.
    ("export default { port: 3000 }", "export default { timeout: 3000 }"),
    ("export default defineConfig({ server: { port: 3000 } })", "export default { defaults: { port: 3000 } }"),
    ("server: {port: 3000}", "server: ${port:3000}"),
    ("server: { port: 3000 },", "server: { port: env.PORT ?? 3000 },"),
    ("web = { port = 3000 }", "const { port = 3000 } = options;"),
    ("web: { host: localhost, port: 3000 }", "web: { host: db, port: 3000 }"),
    ("{ env: { PORT: 3000 } }", "{ env: { SIZE: 3000 } }"),
    ("environment: { PORT: 3000 }", "environment.get('PORT', 3000)"),
    ("server.port=8000", "server.port=${PORT:8000}"),
    ("listen: 3000", "listeners: 3000"),
    ("listen 3000;", "limit 3000;"),
    ("PGPORT=5432", "EXPORT=5432"),
    ("%dev.quarkus.http.port=8000", "%prod.quarkus.http.port=8000"),
    ("default_url_options = { port: 3000 }", "default_options = { port: 3000 }"),
    ("axios.defaults.baseURL = 'http://localhost:8000'", "this.defaults.baseURL = 'http://localhost:8000'"),
    ("DBPort: 5432", "DBReport: 5432"),
    ("WIDGET_PORT=3000", "GET_PORT=3000"),
    ("web-port: 3000", "container-port: 3000"),
    ("PORT= '3000'", "PORT= '3000ms'"),
    # Variables.
    ("PORT: int = 8000", "    PORT: int = 8000"),
    ("PORT: Final[int] = 8000", "LIMIT: Final[int] = 8000"),
    ("    val port: Int = 8000", "class Config(val port: Int = 8000)"),
    ("export const port: number = 3000;", "function serve(port: number = 3000) {"),
    ("var port uint16 = 8000", "var part uint16 = 8000"),
    ("#define PORT 8000", "# define PORT with 8000"),
    ("const port = parseInt('3000');", "const port = findPort('3000');"),
    ("_port = 3000", "_part = 3000"),
    ("export PORT=3000", "export SUPPORT=3000"),
    ("$port = 3000;", '[ "$port" = 3000 ]'),
    ("define('PORT', 3000);", "config('PORT', 3000);"),
    ("set -x PORT 3000", "set -x PART 3000"),
    ("setenv PORT 3000", "setenv PART 3000"),
    ("setx PORT 3000", "setx PART 3000"),
    ("$env:PORT = 3000", "$port = $env:PORT + 3000"),
    ("ENV['PORT'] = '3000'", "ENV['PORT'] ||= '3000'"),
    ("process.env.PORT = 3000", "port = process.env.PORT || 3000"),
    ("os.environ['PORT'] = '8000'", "os.environ.setdefault('PORT', '8000')"),
    ('os.Setenv("PORT", "8000")', 'os.Getenv("PORT", "8000")'),
    ('std::env::set_var("PORT", "8000")', 'std::env::var("PORT").unwrap_or("port=8000")'),
    ("app.set('port', 3000)", "app.get('port', 3000)"),
    ("set :port, 3000", "set :part, 3000"),
    ('System.setProperty("server.port", "8000")', 'Integer.getInteger("server.port", 8000)'),
    ('addr := ":8000"', 'flag.String("addr", ":8000", "where to listen")'),
    ("PORT: 3000 + i", "PORT: 3000 + 10 * slot"),
    ("run(app, port=8000)", "def run(app, port=8000):"),
    ("start(port = 3000)", "const start = (port = 3000) => {"),
    ("PORT=3000 next dev", "PORT=${PORT:-3000} next dev"),
    ("port = 3000", "if port is None: port = 3000"),
    ("if (id === 0) listen(3000);", "if (port === 0) listen(3000);"),
    ("port = 3000 unless quiet", "port = 3000 unless port"),
    ("if ! nc -z localhost 5432; then", "if [ -z $DB_PORT ]; then nc -l 5432; fi"),
    ("[ -n $X ] && PORT=3000", "[ -z $PORT ] && PORT=3000"),
    # Comparisons take no port.
    ("port = 3000", "if (port === 3000)"),
    ("port=3000", "if port == 3000:"),
    ("if (origin === 'http://localhost:3000')", "return url.port === '5432' ? '' : url.port"),
    # Addresses.
    ("nc -z localhost 5432", "nc -z db 5432"),
    ("wait-for 127.0.0.1 5432 -- ls", "wait-for 127.0.0.10 5432 -- ls"),
    ("</dev/tcp/localhost/5432", "</dev/tcp/db/5432"),
    ("SocketAddr::from(([127, 0, 0, 1], 3000))", "SocketAddr::from(([10, 0, 0, 1], 3000))"),
    ("IpAddr::V4(Ipv4Addr::new(127, 0, 0, 1)), 3000)", "IpAddr::V4(Ipv4Addr::new(10, 0, 0, 1)), 3000)"),
    ('TcpListener(IPAddress.Parse("127.0.0.1"), 8000)', 'TcpListener(IPAddress.Parse("10.0.0.1"), 8000)'),
    ("Server=localhost,5432", "Server=db,5432"),
    ("gen_tcp:connect({0,0,0,0}, 3000)", "gen_tcp:connect({8,8,8,8}, 3000)"),
    ("SocketAddr::new(Ipv4Addr::LOCALHOST.into(), 8000)", "SocketAddr::new(Ipv4Addr::from(x), 8000)"),
    ("SocketAddr::new(IpAddr::V4(Ipv4Addr::UNSPECIFIED), 8000)", "resize(Size::UNSPECIFIED, 8000)"),
    ("options.Listen(IPAddress.Loopback, 8000);", "options.Limit(Size.Loopback, 8000);"),
    ("HttpServer.bind(InternetAddress.loopbackIPv4, 8000)", "retry(InternetAddress.lookup, 8000)"),
    ('new InetSocketAddress("localhost", 8000)', 'new InetSocketAddress("db", 8000)'),
    ("new InetSocketAddress(8000)", "new InetSocketAddress(18000)"),
    ("redis.createClient(5432, 'localhost')", "redis.createClient(5432, 'db')"),
    ("connect(5432, 'localhost')", "connect(5432, 'db')"),
    ("new Redis(5432)", "new Error(5432)"),
    ("net.connect(5432)", "net.delay(5432)"),
    ('app.Run("http://*:8000")', 'app.Run("http://api:8000")'),
    ('UseUrls("http://+:8000")', 'UseUrls("http://+:18000")'),
    ("postgres://localhost:5432/example", "for example postgres://localhost:5432/shop"),
    # Servers.
    ("new ServerSocket(8000)", "new Timer(8000)"),
    ("new DatagramSocket(8000)", "new Array(8000)"),
    ("new Server(8000)", "new Observer(8000)"),
    ("TCPServer.open(8000)", "TCPServer.wait(8000)"),
    ("options.ListenAnyIP(8000)", "options.LimitAny(8000)"),
    ("embeddedServer(Netty, 8000)", "embeddedImage(Large, 8000)"),
    ("addr.sin_port = htons(8000);", "addr.sin_size = htonl(8000);"),
    ("bind(HOST, 8000)", "bind(name, 8000)"),
    ("is_port_in_use(8000)", "is_part_in_use(8000)"),
    # Commands and their options.
    ("server -port 3000", "server -part 3000"),
    ("flask run -p8000", "flask run -x8000"),
    ("next dev -p 3000", "mkdir -p 3000"),
    ('serve "-p" "3000"', '"mkdir", "-p", "3000"'),
    ("docker run -p3000:80 web", "ssh -p3000 host"),
    ("docker run -p 3000-3005:3000-3005 web", "docker run -p 4000-4005:3000-3005 web"),
    ("docker compose run -p 3000:80 web", "docker compose -p 3000 up"),
    ("psql -p 5432 shop", "cp -p 5432 shop"),
    ("mysql -P 3000 shop", "mysql -p 3000"),
    ("cp -r a b; serve -p 3000", "read -p 3000 x"),
    ("streamlit run app.py --server.port 8000", "streamlit run app.py --server.size 8000"),
    ("java -Dserver.port=8000 -jar a.jar", "java -Dserver.part=8000 -jar a.jar"),
    ("java -Dport=8000 -jar a.jar", "java -Xport=8000 -jar a.jar"),
    ("  --publish 3000:80 \\", "-- publish 3000:80"),
    ("vercel dev --listen 3000", "vercel dev --limit 3000"),
    ("serve -s build -l 3000", "head -l 3000"),
    ("waitress-serve --listen=*:8000", "waitress-serve --limit=8000"),
    ("python -m SimpleHTTPServer 8000", "python -m SimpleHTTPServer & sleep 8000"),
    ("runserver 0:8000", "runserver $PORT & sleep 8000"),
    ("lsof -ti:3000", "lsof -ti:13000"),
    ("lsof -iTCP:3000", "docker tag web:3000"),
    ("fuser -k 3000/tcp", "ls 3000/tcp"),
    ("nc -lk 3000", "nc -w 3000 db 22"),
    ("ssh -L 5432:db:22 host", "ssh -L $PORT:db:5432 host"),
    ("kubectl port-forward svc/web 3000:80", "kubectl port-forward svc/web 4000:3000"),
    ("socat TCP-LISTEN:3000,fork TCP:web:80", "socat TCP-LISTEN:4000,fork TCP:web:3000"),
    ("ngrok http 3000", "curl http 3000"),
    ("wait-port 3000", "wait 3000"),
    ("start-server-and-test 'npm start' 3000 test", "start-server-and-test 'npm start' $URL 3000"),
    # What is said, and what is done after it or with it.
    ('echo "PORT=3000" > .env', 'echo "PORT=3000" > /dev/stderr'),
    ("echo 'Up' && vite --port 3000", "echo 'Up' 'vite --port 3000'"),
    ("console.log('up'); app.listen(3000)", "console.log('up; on http://localhost:3000')"),
)


def found(line: str) -> list[int]:
    return [use.start for use in uses(f"x\n{line}\n", PLAIN, PORTS)]


@pytest.mark.parametrize(("named", "other"), TWINS)
def test_a_form_is_told_from_a_line_like_it(named: str, other: str) -> None:
    assert len(found(named)) == 1
    assert found(other) == []
