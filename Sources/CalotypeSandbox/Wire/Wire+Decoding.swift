import CalotypeCodecs
import CalotypeCore
import CalotypeTransforms

extension FrameSelection: WiredByName {}
extension PixelFormat: WiredByName {}
extension DynamicRange: WiredByName {}

extension PixelSize: Wired {
    init(from reader: inout WireReader) throws(WireError) {
        self.init(width: try reader.read(), height: try reader.read())
    }

    func write(to writer: inout WireWriter) {
        writer.write(width)
        writer.write(height)
    }
}

extension PixelRect: Wired {
    init(from reader: inout WireReader) throws(WireError) {
        self.init(
            x: try reader.read(),
            y: try reader.read(),
            width: try reader.read(),
            height: try reader.read()
        )
    }

    func write(to writer: inout WireWriter) {
        for number in [x, y, width, height] { writer.write(number) }
    }
}

extension PixelBox: Wired {
    init(from reader: inout WireReader) throws(WireError) {
        self.init(width: try reader.read(Int?.self), height: try reader.read(Int?.self))
    }

    func write(to writer: inout WireWriter) {
        writer.write(width)
        writer.write(height)
    }
}

extension DecodeLimits: Wired {
    init(from reader: inout WireReader) throws(WireError) {
        let any = 1...Int.max
        self.init(
            pixelCountMax: try reader.read(in: any, "a limit"),
            frameCountMax: try reader.read(in: any, "a limit"),
            framePixelCountMax: try reader.read(in: any, "a limit"),
            scanPixelCountMax: try reader.read(in: any, "a limit"),
            workingByteCountMax: try reader.read(in: any, "a limit"),
            byteCountMax: try reader.read(in: any, "a limit"),
            durationMax: try reader.read()
        )
    }

    func write(to writer: inout WireWriter) {
        for limit in [
            pixelCountMax, frameCountMax, framePixelCountMax, scanPixelCountMax, workingByteCountMax,
            byteCountMax,
        ] {
            writer.write(limit)
        }
        writer.write(durationMax)
    }
}

extension DecodeOptions.Target: Wired {
    init(from reader: inout WireReader) throws(WireError) {
        switch try reader.byte() {
        case 0: self = .full
        case 1: self = .fit(try reader.read(PixelBox.self))
        case 2: self = .fill(try reader.read(PixelBox.self))
        case 3: self = .fitBytes(try reader.read())
        default: throw WireError("unknown target")
        }
    }

    func write(to writer: inout WireWriter) {
        switch self {
        case .full: writer.write(byte: 0)
        case .fit(let box):
            writer.write(byte: 1)
            writer.write(box)
        case .fill(let box):
            writer.write(byte: 2)
            writer.write(box)
        case .fitBytes(let byteCount):
            writer.write(byte: 3)
            writer.write(byteCount)
        }
    }
}

extension DecodeOptions: Wired {
    init(from reader: inout WireReader) throws(WireError) {
        self.init(
            target: try reader.read(),
            frames: try reader.read(),
            scale: try reader.read(Double?.self),
            limits: try reader.read(),
            appliesOrientation: try reader.read(),
            convertsToSRGB: try reader.read(),
            keepsDepth: try reader.read(),
            damage: try reader.read(Bool.self) ? .showsWhatIsThere : .strict
        )
    }

    func write(to writer: inout WireWriter) {
        writer.write(target)
        writer.write(frames)
        writer.write(isScaleSet ? scale : nil)
        writer.write(limits)
        writer.write(appliesOrientation)
        writer.write(convertsToSRGB)
        writer.write(keepsDepth)
        writer.write(damage == .showsWhatIsThere)
    }
}
