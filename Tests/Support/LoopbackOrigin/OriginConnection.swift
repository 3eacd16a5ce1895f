import CalotypeSupport
import FoundationEssentials
import NIOCore
import NIOHTTP1

struct OriginConnection: Sendable {
    private let channel: any Channel
    private let requests: OriginQueue<HTTPRequestHead>
    private let activity: OriginActivity
    private let handler: LoopbackOrigin.Handler

    init(
        _ channel: any Channel,
        _ requests: OriginQueue<HTTPRequestHead>,
        _ activity: OriginActivity,
        _ handler: @escaping LoopbackOrigin.Handler
    ) {
        self.channel = channel
        self.requests = requests
        self.activity = activity
        self.handler = handler
    }

    /// Serves until either side closes; a client that disconnects also ends a response that waits at a gate.
    func run() async {
        await activity.opened()
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await serve() }
            group.addTask { await closed() }
            await group.next()
            channel.close(promise: nil)
            group.cancelAll()
        }
        await activity.closed()
    }

    private func closed() async {
        await withTaskCancellationHandler {
            do {
                try await channel.closeFuture.get()
            } catch {
                // Errors of closing are ignored.
            }
        } onCancel: {
            channel.close(promise: nil)
        }
    }

    private func serve() async {
        do {
            while let request = await requests.next() {
                guard try await answer(request), request.isKeepAlive else { return }
            }
        } catch {
            // The client disconnected, or the origin is being closed; the counts record it.
        }
    }

    /// Sends the response, and returns whether the connection can continue.
    private func answer(_ head: HTTPRequestHead) async throws -> Bool {
        let request = OriginRequest(
            method: head.method.rawValue,
            target: head.uri,
            headers: head.headers.map { OriginField($0.name.lowercased(), $0.value) }
        )
        await activity.received(request)
        let response = await handler(request)
        try await response.gate?.wait()
        return try await send(response)
    }

    /// Performs the steps of the response, and returns whether the connection can continue.
    private func send(_ response: OriginResponse) async throws -> Bool {
        // The header is sent together with the first bytes, as most servers do.
        var unsent = response.head ?? Data()
        for step in response.steps {
            if case .bytes(let bytes) = step {
                unsent += response.framed(bytes)
                continue
            }
            try await flush(&unsent)
            switch step {
            case .bytes: break
            case .wait(let gate): try await gate.wait()
            case .close: return false
            case .reset:
                // With a linger time of 0 the connection is reset when it is closed.
                let lingering = linger(l_onoff: 1, l_linger: 0)
                try await (channel as? any SocketOptionProvider)?.setSoLinger(lingering).get()
                return false
            }
        }
        unsent += response.tail ?? Data()
        try await flush(&unsent)
        return response.keepsConnection
    }

    /// Returns when the bytes have been passed to the system, so that closing afterwards loses none.
    private func flush(_ bytes: inout Data) async throws {
        guard !bytes.isEmpty else { return }
        try await channel.writeAndFlush(ByteBuffer(bytes: bytes))
        bytes = Data()
    }
}
