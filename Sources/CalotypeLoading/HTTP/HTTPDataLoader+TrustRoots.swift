import CalotypeTransfer
public import FoundationEssentials

extension HTTPDataLoader {
    /// Certificates that are trusted in addition to the system's: a company's own authority, a test server's.
    public struct TrustRoots: Sendable {
        let pem: [UInt8]

        /// Parses one or more certificates in PEM format.
        ///
        /// - Throws: ``FetchError/Code/insecureConnection`` if there is no certificate, or an invalid one.
        public init(pem: Data) throws(FetchError) {
            self.pem = Array(pem) + [UInt8(ascii: "\n")]
            guard TransferSettings.readsTrustRoots(self.pem) else {
                throw FetchError(
                    .insecureConnection,
                    detail: "the trust roots have no certificate in PEM form (-----BEGIN CERTIFICATE-----)"
                )
            }
        }

        /// Reads a file of certificates in PEM format.
        ///
        /// Intended for the start of a program: it blocks while it reads.
        ///
        /// - Throws: ``FetchError/Code/fileNotReadable``, or as ``init(pem:)``.
        public init(file path: String) throws(FetchError) {
            let pem: Data
            do {
                pem = try Data(contentsOf: URL(filePath: path))
            } catch {
                throw FetchError(.fileNotReadable, detail: "the trust roots in \(path) cannot be read")
            }
            try self.init(pem: pem)
        }
    }
}
