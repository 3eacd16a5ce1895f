/// The settings of listeners, logs and time limits of clients.
extension ServeSetting {
    static let listen = ServeSetting(
        "listen",
        .address,
        "127.0.0.1:8080",
        imgproxy: ["BIND"],
        "Address for image requests; port 0 picks a free one."
    )
    static let admin = ServeSetting(
        "admin",
        .address,
        "127.0.0.1:8081",
        "Address for metrics, health, purges and the console; off disables it."
    )
    static let adminToken = ServeSetting(
        "admin-token",
        .text,
        secret: true,
        "Bearer token for the admin listener; required unless it is on loopback."
    )
    static let pathPrefix = ServeSetting(
        "path-prefix",
        .text,
        imgproxy: ["PATH_PREFIX"],
        "URL path prefix of all images, such as /images."
    )
    static let publicURL = ServeSetting(
        "public-url",
        .text,
        "",
        "Public base URL shown by the console; http:// and the address if unset."
    )
    static let reusePort = ServeSetting(
        "reuse-port",
        .flag,
        "false",
        "Port sharing with a second process of the same user, for a takeover."
    )
    static let connections = ServeSetting(
        "connections",
        .count(1...1_000_000),
        "1024",
        imgproxy: ["MAX_CLIENTS"],
        "Maximum connections, within the descriptor limit; the idlest is closed first."
    )
    static let headerTimeout = ServeSetting(
        "head-timeout",
        .duration(.milliseconds(100)...(.seconds(3600))),
        "10s",
        imgproxy: ["READ_REQUEST_TIMEOUT"],
        "Time limit for receiving a request."
    )
    static let idleTimeout = ServeSetting(
        "idle-timeout",
        .duration(.milliseconds(100)...(.seconds(3600))),
        "60s",
        imgproxy: ["KEEP_ALIVE_TIMEOUT"],
        "Time limit for an idle connection waiting for its next request."
    )
    static let writeTimeout = ServeSetting(
        "write-timeout",
        .duration(.milliseconds(100)...(.seconds(3600))),
        "30s",
        imgproxy: ["WRITE_RESPONSE_TIMEOUT"],
        "Time limit for sending a response, plus 1s for each 64 kB."
    )
    static let drainTimeout = ServeSetting(
        "drain-timeout",
        .duration(.zero...(.seconds(600))),
        "10s",
        "Time limit for completing responses after a stop signal."
    )
    static let timeout = ServeSetting(
        "timeout",
        .duration(.milliseconds(100)...(.seconds(3600))),
        "30s",
        imgproxy: ["TIMEOUT"],
        "Time limit for producing a response to an image request."
    )
    static let retryAfter = ServeSetting(
        "retry-after",
        .duration(.seconds(1)...(.seconds(3600))),
        "1s",
        "Retry-After value of 503 responses, as when the queue is full."
    )
    static let logLevel = ServeSetting(
        "log-level",
        .choice(["debug", "info", "warning", "error"]),
        "info",
        imgproxy: ["LOG_LEVEL"],
        "Minimum log level; requests are info, failed requests warning."
    )
    static let logFormat = ServeSetting(
        "log-format",
        .choice(["text", "json"]),
        "text",
        imgproxy: ["LOG_FORMAT"],
        "Log line format."
    )

    static let logClient = ServeSetting(
        "log-client",
        .flag,
        "false",
        "Client address in request log lines; behind a proxy, the proxy’s address."
    )

    static let listening = [
        listen, admin, adminToken, pathPrefix, publicURL, reusePort, connections, headerTimeout, idleTimeout,
        writeTimeout,
        drainTimeout, timeout, retryAfter, logLevel, logFormat, logClient,
    ]
}
