import CalotypeTransfer
public import FoundationEssentials

extension HTTPDataLoader {
    /// Certificates that are trusted beside those of the system: a company's own authority, a test server's.
    public struct TrustRoots: Sendable {
        let pem: [UInt8]

        /// Reads certificates in PEM form, one or more.
        ///
        /// - Throws: ``FetchError/Code/insecureConnection`` where there is none, or one that cannot be read.
        public init(pem: Data) throws(FetchError) {
            self.pem = Array(pem) + [UInt8(ascii: "\n")]
            guard TransferSettings.readsTrustRoots(self.pem) else {
                throw FetchError(
                    .insecureConnection,
                    detail: "the trust roots hold no certificate in PEM form (-----BEGIN CERTIFICATE-----)"
                )
            }
        }

        /// Reads a file of certificates in PEM form.
        ///
        /// Meant for the start of a program: it blocks while it reads.
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
