import CalotypeSupport
import CalotypeTesting
import Foundation
import TestSupport
import Testing

/// A page in headless Chromium with simulated user input, by the DevTools protocol: JSON through two pipes,
/// with a zero after each message (`--remote-debugging-pipe`).
///
/// Calls are serial; each returns once the page has processed it.
final class BrowserPage: Sendable {
    private struct State {
        var number = 0
        var received = Data()
        var session: String?
        var faults: [String] = []
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// A key with its names and number in the protocol.
    struct Key {
        let name: String
        let number: Int
        var text = ""

        static let tab = Key(name: "Tab", number: 9)
        static let enter = Key(name: "Enter", number: 13, text: "\r")
        static let arrowDown = Key(name: "ArrowDown", number: 40)
    }

    private let process: ChildProcess
    private let commands = Pipe()
    private let messages = Pipe()
    private let state = Guarded(State())
    private static let pool = BlockingPool(width: 4)

    /// Runs a body with an empty page, and ends the browser afterwards.
    ///
    /// - Returns: The errors of the page's scripts, one per line.
    static func run(in folder: ScratchFolder, _ body: (BrowserPage) async throws -> Void) async throws
        -> [String]
    {
        let page = try BrowserPage(folder)
        let result: Result<Void, any Error>
        do {
            try await page.attach()
            try await body(page)
            result = .success(())
        } catch {
            result = .failure(error)
        }
        await Self.pool.run { page.process.kill() }
        try result.get()
        return page.state.withLock(\.faults)
    }

    private init(_ folder: ScratchFolder) throws {
        let browser = try #require(Browser.path)
        process = try ChildProcess(
            "/bin/sh",
            [
                "-c", "exec \"$0\" \"$@\" 3<&0 4>&1 0</dev/null 1>/dev/null", browser, "--headless",
                "--no-sandbox",
                "--disable-gpu", "--user-data-dir=\(folder.path)/profile", "--remote-debugging-pipe",
                "about:blank",
            ],
            input: commands.fileHandleForReading.fileDescriptor,
            output: messages.fileHandleForWriting.fileDescriptor
        )
        // The browser has its own copies: reading ends when it exits.
        try commands.fileHandleForReading.close()
        try messages.fileHandleForWriting.close()
    }

    private func attach() async throws {
        let target = try await call("Target.createTarget", ["url": "about:blank"], "targetId")
        let session = try await call(
            "Target.attachToTarget",
            ["targetId": target, "flatten": true],
            "sessionId"
        )
        state.withLock { $0.session = session }
        for domain in ["Page", "Runtime", "Log"] { _ = try await call("\(domain).enable") }
    }

    /// Navigates to a URL.
    func open(_ url: String) async throws { _ = try await call("Page.navigate", ["url": url]) }

    func value(_ expression: String) async throws -> String {
        try await call(
            "Runtime.evaluate",
            ["expression": "Promise.resolve(\(expression)).then(String)", "awaitPromise": true],
            "result.value"
        )
    }

    /// Returns once an expression is true.
    func until(_ expression: String) async throws {
        let look = "function look() { (\(expression)) ? done() : requestAnimationFrame(look) }"
        _ = try await value("new Promise(done => { (\(look))() })")
    }

    func press(_ key: Key) async throws {
        for type in ["keyDown", "keyUp"] {
            var event: [String: Any] = ["type": type, "key": key.name, "code": key.name]
            event["windowsVirtualKeyCode"] = key.number
            if type == "keyDown", !key.text.isEmpty { event["text"] = key.text }
            _ = try await call("Input.dispatchKeyEvent", event)
        }
    }

    /// Presses Tab until an expression is true for the focused element, `element`.
    func tab(to expression: String) async throws {
        for _ in 0..<80 {
            try await press(.tab)
            if try await value("(element => \(expression))(document.activeElement)") == "true" { return }
        }
        throw Failure(description: "Tab leads to nothing of which this is true: \(expression)")
    }

    func type(_ text: String) async throws { _ = try await call("Input.insertText", ["text": text]) }

    func prefer(colorScheme: String) async throws {
        let features = [["name": "prefers-color-scheme", "value": colorScheme]]
        _ = try await call("Emulation.setEmulatedMedia", ["features": features])
    }

    func resize(width: Int) async throws {
        let screen = ["width": width, "height": 740, "deviceScaleFactor": 2, "mobile": true] as [String: Any]
        _ = try await call("Emulation.setDeviceMetricsOverride", screen)
    }

    /// Calls a method.
    ///
    /// - Returns: The text at `place` in the result, or an empty text without a place.
    private func call(
        _ method: String,
        _ arguments: [String: Any] = [:],
        _ place: String = ""
    ) async throws -> String {
        let (number, session) = state.withLock { state in
            state.number += 1
            return (state.number, state.session)
        }
        var message: [String: Any] = ["id": number, "method": method, "params": arguments]
        message["sessionId"] = session
        let bytes = try JSONSerialization.data(withJSONObject: message) + [0]
        return try await Self.pool.run { [self] in
            try commands.fileHandleForWriting.write(contentsOf: bytes)
            return try Self.text(at: place, in: try response(to: number), of: method)
        }
    }

    /// The result of a call; earlier messages are searched for faults.
    private func response(to number: Int) throws -> [String: Any] {
        while true {
            let message = try nextMessage()
            if message["id"] as? Int == number { return message }
            let parameters = message["params"] as? [String: Any] ?? [:]
            let entry = parameters["entry"] as? [String: Any]
            let isFault =
                switch message["method"] as? String {
                case "Runtime.exceptionThrown": true
                case "Runtime.consoleAPICalled": ["error", "assert"].contains(parameters["type"] as? String)
                case "Log.entryAdded": entry?["level"] as? String == "error"
                default: false
                }
            if isFault { state.withLock { $0.faults.append("\(entry ?? parameters)") } }
        }
    }

    private func nextMessage() throws -> [String: Any] {
        while true {
            let message = state.withLock { state -> Data? in
                guard let end = state.received.firstIndex(of: 0) else { return nil }
                defer { state.received = Data(state.received[end...].dropFirst()) }
                return state.received[..<end]
            }
            if let message {
                return try JSONSerialization.jsonObject(with: message) as? [String: Any] ?? [:]
            }
            let bytes = messages.fileHandleForReading.availableData
            guard !bytes.isEmpty else { throw Failure(description: "the browser has ended") }
            state.withLock { $0.received += bytes }
        }
    }

    private static func text(at place: String, in answer: [String: Any], of method: String) throws -> String {
        let result = answer["result"] as? [String: Any]
        guard let result, result["exceptionDetails"] == nil else {
            throw Failure(description: "\(method): \(answer)")
        }
        guard !place.isEmpty else { return "" }
        var value: Any? = result
        for name in place.split(separator: ".") { value = (value as? [String: Any])?[String(name)] }
        guard let text = value as? String else { throw Failure(description: "\(method): \(answer)") }
        return text
    }
}
