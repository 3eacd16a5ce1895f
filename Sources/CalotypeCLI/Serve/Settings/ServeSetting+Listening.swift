/// What a service listens on, and what it takes from its clients.
extension ServeSetting {
    static let listen = ServeSetting(
        "listen",
        .address,
        "127.0.0.1:8080",
        imgproxy: ["BIND"],
        "Where pictures are asked for; with port 0 one that is free."
    )
    static let admin = ServeSetting(
        "admin",
        .address,
        "127.0.0.1:8081",
        "Where metrics, health, purges and the console are; off for none."
    )
    static let adminToken = ServeSetting(
        "admin-token",
        .text,
        secret: true,
        "What the admin listener wants as a bearer token; needed where it is not on the loopback interface."
    )
    static let pathPrefix = ServeSetting(
        "path-prefix",
        .text,
        imgproxy: ["PATH_PREFIX"],
        "The path below which pictures are, as /images."
    )
    static let publicURL = ServeSetting(
        "public-url",
        .text,
        "",
        "What the console writes before paths; http:// and the address unless set."
    )
    static let reusePort = ServeSetting(
        "reuse-port",
        .flag,
        "false",
        "Let a second process of the same user listen on the same ports, to take over from this one."
    )
    static let connections = ServeSetting(
        "connections",
        .count(1...1_000_000),
        "1024",
        imgproxy: ["MAX_CLIENTS"],
        "Connections at once, as far as there are descriptors; above that the idlest is closed."
    )
    static let headTimeout = ServeSetting(
        "head-timeout",
        .duration(.milliseconds(100)...(.seconds(3600))),
        "10s",
        imgproxy: ["READ_REQUEST_TIMEOUT"],
        "How long a client has to send a request."
    )
    static let idleTimeout = ServeSetting(
        "idle-timeout",
        .duration(.milliseconds(100)...(.seconds(3600))),
        "60s",
        imgproxy: ["KEEP_ALIVE_TIMEOUT"],
        "How long a connection may wait for its next request."
    )
    static let writeTimeout = ServeSetting(
        "write-timeout",
        .duration(.milliseconds(100)...(.seconds(3600))),
        "30s",
        imgproxy: ["WRITE_RESPONSE_TIMEOUT"],
        "How long a client has to take an answer; a second more for each 64 kB of it."
    )
    static let drainTimeout = ServeSetting(
        "drain-timeout",
        .duration(.zero...(.seconds(600))),
        "10s",
        "How long answers under way may take once the service is told to end."
    )
    static let timeout = ServeSetting(
        "timeout",
        .duration(.milliseconds(100)...(.seconds(3600))),
        "30s",
        imgproxy: ["TIMEOUT"],
        "How long a client waits for its picture."
    )
    static let retryAfter = ServeSetting(
        "retry-after",
        .duration(.seconds(1)...(.seconds(3600))),
        "1s",
        "When clients that find too much waiting may ask again."
    )
    static let logLevel = ServeSetting(
        "log-level",
        .choice(["debug", "info", "warning", "error"]),
        "info",
        imgproxy: ["LOG_LEVEL"],
        "What is logged; requests are info, failed ones warning."
    )
    static let logFormat = ServeSetting(
        "log-format",
        .choice(["text", "json"]),
        "text",
        imgproxy: ["LOG_FORMAT"],
        "How a line of the log reads."
    )

    static let logClient = ServeSetting(
        "log-client",
        .flag,
        "false",
        "Log the address that each request comes from: the client's, or that of the proxy in front."
    )

    static let listening = [
        listen, admin, adminToken, pathPrefix, publicURL, reusePort, connections, headTimeout, idleTimeout,
        writeTimeout,
        drainTimeout, timeout, retryAfter, logLevel, logFormat, logClient,
    ]
}
