import Calotype
import CalotypeCache
import CalotypeCodecs
import CalotypeLoading
import CalotypeTransforms

/// An error of a command that no library module reports itself.
struct CommandError: Error, CustomStringConvertible {
    /// The kind of failure, as a fixed word.
    struct Code: Hashable {
        let label: String

        private init(_ label: String) {
            self.label = label
        }

        /// The text is neither a URL nor a path.
        static let invalidURL = Code("invalidURL")
        /// The image has no frame of this number.
        static let noSuchFrame = Code("noSuchFrame")
        /// A result could not be written.
        static let notWritable = Code("notWritable")
        /// An output exists, and must not be replaced.
        static let exists = Code("exists")
        /// An output is a file that the same command reads.
        static let isInput = Code("isInput")
        /// The file system does not support naming an unnamed file; a temporary name is needed.
        static let needsName = Code("needsName")
        /// Two images of a command have the same output.
        static let nameClash = Code("nameClash")
        /// The reader of standard output has closed it (EPIPE).
        static let outputClosed = Code("outputClosed")
        /// The named cache does not exist.
        static let noSuchCache = Code("noSuchCache")
        /// The service cannot be started.
        static let notServing = Code("notServing")
        /// The admin listener did not respond, or returned an error.
        static let notPurged = Code("notPurged")
        /// There is no input to process.
        static let nothingFound = Code("nothingFound")
    }

    let code: Code
    let detail: String

    init(_ code: Code, detail: String) {
        self.code = code
        self.detail = detail
    }

    var description: String { "\(code.label): \(detail)" }
}

/// Error texts for the `error` field and standard error.
enum ErrorText {
    /// Returns `code: text`, on one line.
    static func describe(_ error: any Error) -> String {
        switch error {
        case let error as LoadError:
            SafeText.line(SafeText.withoutCredentials(error.reason))
        case is FetchError, is DecodeError, is EncodeError, is TransformError,
            is DiskCacheError, is CommandError:
            SafeText.line(SafeText.withoutCredentials("\(error)"))
        default:
            SafeText.line(SafeText.withoutCredentials("other: \(error)"))
        }
    }

    /// Returns the text of an error about an address, which may be repeated in it.
    static func describe(_ error: any Error, of address: String, shownAs shown: String) -> String {
        let text = describe(error)
        return shown == address ? text : text.replacing(SafeText.line(address), with: SafeText.line(shown))
    }

    static func status(for error: any Error) -> CommandExitCode {
        guard let error = error as? LoadError, error.underlying is NotInCacheError else { return .failure }
        return .notInCache
    }
}
