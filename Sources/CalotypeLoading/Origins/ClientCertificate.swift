import CalotypeTransfer
public import FoundationEssentials

extension HTTPDataLoader {
    /// A certificate that identifies the loader to a server (mutual TLS), with its private key.
    public struct ClientCertificate: Sendable {
        let certificate: [UInt8]
        let key: [UInt8]

        /// Parses a certificate and its private key in PEM format.
        ///
        /// - Parameters:
        ///   - pem: The certificate, followed by the other certificates of its chain, if any.
        ///   - key: The unencrypted private key; `nil` if `pem` contains it.
        /// - Throws: ``FetchError/Code/insecureConnection`` if either cannot be parsed, if the key is
        ///   encrypted, or belongs to another certificate.
        public init(pem: Data, key: Data? = nil) throws(FetchError) {
            certificate = Array(pem) + [UInt8(ascii: "\n")]
            self.key = key.map { Array($0) + [UInt8(ascii: "\n")] } ?? certificate
            let verdict = TransferTLS(certificate: certificate, key: self.key).clientCertificateVerdict
            guard let problem = Self.problem(verdict) else { return }
            throw FetchError(.insecureConnection, detail: problem)
        }

        private static func problem(_ verdict: ClientCertificateVerdict) -> String? {
            switch verdict {
            case .valid: nil
            case .unreadableCertificate:
                "the client certificate is not in PEM form (-----BEGIN CERTIFICATE-----)"
            case .unreadableKey:
                "the private key of the client certificate is not in PEM form (-----BEGIN PRIVATE KEY-----)"
            case .encryptedKey:
                "the private key of the client certificate is encrypted; decrypt it with openssl pkey"
            case .keyOfAnotherCertificate:
                "the private key does not belong to the client certificate"
            }
        }
    }
}
