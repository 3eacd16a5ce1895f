import CalotypeSupport
import NIOCore
import NIOHTTP1
import NIOPosix

/// Texts of socket errors for people: NIO's own texts name functions and types.
enum SocketErrorText {
    static func text(_ error: any Error) -> String {
        switch error {
        case let error as IOError: text(ofNumber: error.errnoCode)
        case let error as NIOConnectionError: text(of: error)
        case let error as SocketAddressError.UnknownHost: "the name \(error.host) has no address"
        case SocketAddressError.unixDomainSocketPathTooLong: "the path is too long for a Unix domain socket"
        case ChannelError.connectTimeout: "the connection attempt timed out"
        case is HTTPParserError: "the server did not send valid HTTP"
        case is CancellationError: "the request was cancelled"
        default: "\(error)"
        }
    }

    private static func text(of error: NIOConnectionError) -> String {
        if let first = error.connectionErrors.first { return text(first.error) }
        return "the name \(error.host) has no address"
    }

    private static func text(ofNumber number: Int32) -> String {
        let words = String(cString: strerror(number))
        switch number {
        case EADDRINUSE: return "\(words): another program listens on it"
        case EADDRNOTAVAIL: return "\(words): this machine does not have the address"
        case EACCES: return "\(words): ports below 1024 need a privilege"
        case ECONNREFUSED: return "\(words): nothing listens there"
        default: return words
        }
    }
}

/// The error of an address that cannot be listened on.
package struct ListenerFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The reason, as text for people.
    package let description: String

    init(_ error: any Error) {
        description = SocketErrorText.text(error)
    }
}
