#if HTTP
import CTransfer
#endif

/// The verdict on a client certificate and its key.
package enum ClientCertificateVerdict: Hashable, Sendable {
    case valid
    case unreadableCertificate
    case unreadableKey
    /// The key needs a passphrase.
    case encryptedKey
    case keyOfAnotherCertificate
}

extension TransferTLS {
    /// The verdict on the client certificate and its key.
    package var clientCertificateVerdict: ClientCertificateVerdict {
        #if HTTP
        let verdict = unsafe certificate.withUnsafeBytes { certificate in
            unsafe key.withUnsafeBytes { key in
                unsafe calotype_transfer_judge_certificate(
                    certificate.baseAddress?.assumingMemoryBound(to: CChar.self),
                    certificate.count,
                    key.baseAddress?.assumingMemoryBound(to: CChar.self),
                    key.count
                )
            }
        }
        return switch verdict {
        case CALOTYPE_CLIENT_CERTIFICATE_VALID: .valid
        case CALOTYPE_CLIENT_KEY_UNREADABLE: .unreadableKey
        case CALOTYPE_CLIENT_KEY_ENCRYPTED: .encryptedKey
        case CALOTYPE_CLIENT_KEY_OF_ANOTHER_CERTIFICATE: .keyOfAnotherCertificate
        default: .unreadableCertificate
        }
        #else
        // Without HTTP, the certificate is not used.
        return .valid
        #endif
    }
}
