public import CalotypeCore
public import FoundationEssentials
extension CodecRegistry {
    public static var standard: CodecRegistry { CodecRegistry() }
    public func encode(_ image: Image) throws(EncodeError) -> Data { throw EncodeError(.codecFailure, format: .png, detail: "") }
}
