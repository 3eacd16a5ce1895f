package import FoundationEssentials
import NIOSSL

/// A certificate and its key, in PEM form.
package struct OriginIdentity: Sendable {
    package let certificate: Data
    package let key: Data

    package init(certificate: Data, key: Data) {
        self.certificate = certificate
        self.key = key
    }

    func context() throws -> NIOSSLContext {
        let chain = try NIOSSLCertificate.fromPEMBytes(Array(certificate)).map {
            NIOSSLCertificateSource.certificate($0)
        }
        let key = try NIOSSLPrivateKey(bytes: Array(key), format: .pem)
        return try NIOSSLContext(
            configuration: .makeServerConfiguration(certificateChain: chain, privateKey: .privateKey(key))
        )
    }
}
