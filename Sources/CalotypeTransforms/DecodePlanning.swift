package import CalotypeCodecs
package import CalotypeCore

extension TransformChain {
    package var decodeGeometry: TransformChain { [] }
    package func decodeTarget(for size: PixelSize) -> DecodeOptions.Target { .full }
    package func scaled(from size: PixelSize, to decoded: PixelSize) -> TransformChain { self }
}
