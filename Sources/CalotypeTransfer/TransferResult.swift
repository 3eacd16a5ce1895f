#if HTTP
import CLibCurl
import CTransfer
import CalotypeSupport

/// Returns the result of a transfer that libcurl reports as done.
func transferResult(
    _ code: CURLcode,
    _ handle: UnsafeMutablePointer<calotype_transfer>
) -> Result<Void, TransferError> {
    let transfer = unsafe handle.pointee
    let message = unsafe messageText(handle)
    let found: TransferError.Kind? =
        switch unsafe transfer.failure {
        case CALOTYPE_TRANSFER_HEAD_TOO_LARGE: .headTooLarge
        case CALOTYPE_TRANSFER_BODY_TOO_LARGE: .bodyTooLarge
        case CALOTYPE_TRANSFER_BOMB: .bomb
        case CALOTYPE_TRANSFER_CODINGS: .severalCodings
        case CALOTYPE_TRANSFER_OUT_OF_MEMORY: .outOfMemory
        default: nil
        }
    if let found { return .failure(TransferError(found, message)) }
    if unsafe transfer.has_excess { return .failure(TransferError(.excess, message)) }
    if code == CURLE_OK {
        // libcurl treats a connection closed within the header like any other end.
        return unsafe handle.pointee.is_head_whole ? .success(()) : .failure(TransferError(.lost))
    }
    return .failure(unsafe TransferError(failureKind(code, handle), message))
}

/// Returns whether a transfer failed because its reused connection was dead.
///
/// libcurl tries its other idle connections, and gives up after five.
func transferIsStale(_ code: CURLcode, _ handle: UnsafeMutablePointer<calotype_transfer>) -> Bool {
    let codes = [CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_GOT_NOTHING, CURLE_HTTP2, CURLE_HTTP2_STREAM]
    guard codes.contains(code) else { return false }
    let hasAnswer = unsafe handle.pointee.all_heads_byte_count > 0 || handle.pointee.packed_byte_count > 0
    return unsafe !hasAnswer && calotype_transfer_number(handle, CURLINFO_NUM_CONNECTS) == 0
}

// `CURLE_TOO_LARGE`, since libcurl 8.6; earlier versions report a lack of memory for a header field.
private let tooLarge = CURLcode(rawValue: 100)

private func failureKind(
    _ code: CURLcode,
    _ handle: UnsafeMutablePointer<calotype_transfer>
) -> TransferError.Kind {
    if unsafe handle.pointee.is_refused { return .addressRefused }
    if let kind = unsafe proxyFailureKind(code, handle) { return kind }
    return switch code {
    case CURLE_URL_MALFORMAT: .invalidURL
    case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: .hostNotFound
    case CURLE_COULDNT_CONNECT: .notConnected
    case CURLE_OPERATION_TIMEDOUT: .connectTimedOut
    case CURLE_OUT_OF_MEMORY: unsafe handle.pointee.is_head_whole ? .outOfMemory : .headTooLarge
    case tooLarge: unsafe handle.pointee.is_head_whole ? .invalidAnswer : .headTooLarge
    case CURLE_PEER_FAILED_VERIFICATION: unsafe certificateFailureKind(handle)
    case CURLE_SSL_CONNECT_ERROR: unsafe isBrokenOff(handle) ? .lost : .insecure
    case CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER, CURLE_SSL_CACERT_BADFILE,
        CURLE_SSL_ISSUER_ERROR, CURLE_USE_SSL_FAILED:
        .insecure
    case CURLE_BAD_CONTENT_ENCODING, CURLE_WRITE_ERROR: .invalidCoding
    case CURLE_PARTIAL_FILE: unsafe isAnnounced(handle) ? .short : .lost
    case CURLE_RECV_ERROR:
        unsafe isAlert(handle) ? .insecure : isGarbage(handle) ? .invalidAnswer : .lost
    case CURLE_SEND_ERROR, CURLE_GOT_NOTHING, CURLE_HTTP2, CURLE_HTTP2_STREAM: .lost
    default: .invalidAnswer
    }
}

/// Returns the failure of the proxy, if it responded and did not open the tunnel.
private func proxyFailureKind(
    _ code: CURLcode,
    _ handle: UnsafeMutablePointer<calotype_transfer>
) -> TransferError.Kind? {
    if code == CURLE_PROXY { return .proxyFailed }
    let status = unsafe calotype_transfer_number(handle, CURLINFO_HTTP_CONNECTCODE)
    guard status > 0, !(200...299).contains(status) else { return nil }
    return status == 407 ? .proxyAuthentication : .proxyFailed
}

/// Distinguishes by libcurl's message, its only sign, whether a certificate is for another name.
private func certificateFailureKind(_ handle: UnsafeMutablePointer<calotype_transfer>) -> TransferError.Kind {
    let message = unsafe messageText(handle)
    let isOtherName = message.contains("subject name") || message.contains("does not match")
    return isOtherName ? .otherName : .untrusted
}

/// Returns whether the connection was closed during the TLS handshake, which only libcurl's message shows.
private func isBrokenOff(_ handle: UnsafeMutablePointer<calotype_transfer>) -> Bool {
    let message = unsafe messageText(handle)
    return ["SSL_ERROR_SYSCALL", "unexpected eof", "Connection reset"].contains { message.contains($0) }
}

private func isAnnounced(_ handle: UnsafeMutablePointer<calotype_transfer>) -> Bool {
    unsafe calotype_transfer_announced_byte_count(handle) >= 0
}

/// Returns whether the server has refused or missed a client certificate: in TLS 1.3 it reports that after
/// the handshake.
private func isAlert(_ handle: UnsafeMutablePointer<calotype_transfer>) -> Bool {
    let message = unsafe messageText(handle)
    return message.contains("alert") && (message.contains("certificate") || message.contains("unknown ca"))
}

// Bytes were received but are invalid, as opposed to missing.
private func isGarbage(_ handle: UnsafeMutablePointer<calotype_transfer>) -> Bool {
    unsafe messageText(handle).contains("chunk")
}

private func messageText(_ handle: UnsafeMutablePointer<calotype_transfer>) -> String {
    unsafe withUnsafeBytes(of: &handle.pointee.message) { bytes in
        unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
}
#endif
