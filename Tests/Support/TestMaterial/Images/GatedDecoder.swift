package import CalotypeCodecs
package import CalotypeCore
package import CalotypeTesting
package import FoundationEssentials

/// A decoder of the fake format that waits at a gate before each decode.
package struct GatedDecoder: ForwardingDecoder {
    package let base = FakeImageDecoder()
    package let reached: AsyncGate
    package let released: BlockingGate

    package init(reached: AsyncGate = AsyncGate(), released: BlockingGate = BlockingGate()) {
        (self.reached, self.released) = (reached, released)
    }

    package func decode(_ data: Data, options: DecodeOptions) throws(DecodeError) -> Image {
        reached.open()
        released.wait()
        return try base.decode(data, options: options)
    }
}
