import CalotypeSupport
import NIOCore
import NIOHTTP1
import NIOPosix

/// Failures of sockets in words for people: NIO's own name its functions and types.
enum ConnectionWords {
    /// The text of an error.
    static func text(_ error: any Error) -> String {
        switch error {
        case let error as IOError: text(ofNumber: error.errnoCode)
        case let error as NIOConnectionError: text(of: error)
        case let error as SocketAddressError.UnknownHost: "the name \(error.host) has no address"
        case SocketAddressError.unixDomainSocketPathTooLong: "the path is too long for a socket"
        case ChannelError.connectTimeout: "nobody answers there"
        case is HTTPParserError: "the other side speaks no HTTP"
        case is CancellationError: "it was broken off"
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
        case EADDRNOTAVAIL: return "\(words): this machine does not have it"
        case EACCES: return "\(words): ports below 1024 need the right to them"
        case ECONNREFUSED: return "\(words): nothing listens there"
        default: return words
        }
    }
}

/// The address of a listener cannot be had.
public struct ListenerFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The reason, for people.
    public let description: String

    init(_ error: any Error) {
        description = ConnectionWords.text(error)
    }
}
