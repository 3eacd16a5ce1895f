public import FoundationEssentials
import NIOSSL

extension HTTPDataLoader {
    /// Certificates that are trusted beside those of the system: a company's own authority, a test server's.
    public struct TrustRoots: Sendable {
        let certificates: [NIOSSLCertificate]

        /// Reads certificates in PEM form, one or more.
        ///
        /// - Throws: ``FetchError/Code/insecureConnection`` where there is none, or one that cannot be read.
        public init(pem: Data) throws(FetchError) {
            do {
                certificates = try NIOSSLCertificate.fromPEMBytes(Array(pem))
            } catch {
                certificates = []
            }
            guard !certificates.isEmpty else {
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
