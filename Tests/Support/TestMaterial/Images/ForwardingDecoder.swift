package import CalotypeCodecs
package import CalotypeCore
package import FoundationEssentials

/// A decoder that passes each call on; a double implements the calls that it changes.
package protocol ForwardingDecoder: ImageDecoder {
    associatedtype Base: ImageDecoder

    var base: Base { get }
}

extension ForwardingDecoder {
    package var formats: [ImageFormat] { base.formats }

    package func recognizes(_ data: Data) -> ImageFormat? { base.recognizes(data) }

    package func info(of data: Data, limits: DecodeLimits) throws(DecodeError) -> ImageInfo {
        try base.info(of: data, limits: limits)
    }
}
