import CCodecs
import CalotypeCore
import FoundationEssentials

/// The pictures of a track, decoded one after another: owns the C reader.
///
/// One caller at a time.
@safe final class HEVCStream {
    let track: HEVCTrack
    private let reader: OpaquePointer
    private var hasPicture = false

    init(_ track: HEVCTrack) throws(DecodeError) {
        var setup = cc_hevc_setup(
            width: UInt32(track.size.width),
            height: UInt32(track.size.height)
        )
        let reader = try unsafe CodecFailure.open(.heic) { reader, message in
            unsafe cc_hevc_open(&setup, reader, message)
        }
        self.track = track
        unsafe self.reader = reader
        try push(track.parameterSets)
    }

    deinit {
        unsafe cc_hevc_close(reader)
    }

    /// Decodes a sample, which may depend on earlier ones.
    func decode(sample index: Int, of file: Data) throws(DecodeError) {
        let units = try track.units(ofSample: index, in: file)
        // libde265 replaces missing reference pictures by gray ones.
        guard hasPicture || units.allSatisfy({ !$0.isSlice || $0.isRandomAccess }) else {
            throw DecodeError(
                .corrupt,
                format: .heic,
                detail: "sample \(index) starts with a predicted picture"
            )
        }
        hasPicture = true
        try push(units)
        try unsafe CodecFailure.check(.heic) { message in unsafe cc_hevc_decode(reader, message) }
    }

    private func push(_ units: [HEVCUnit]) throws(DecodeError) {
        for unit in units {
            try unsafe CodecFailure.check(.heic) { message in
                unsafe unit.bytes.bytes.withUnsafeBytes { unsafe cc_hevc_push(reader, cc_bytes($0), message) }
            }
        }
    }

    /// Returns the last decoded picture, with the luma of another as its alpha.
    func raster(
        _ format: PixelFormat,
        alpha: HEVCStream?,
        color: borrowing ColorConversion
    ) throws(DecodeError) -> Raster {
        var codes = cc_hevc_codes()
        if let stated = track.colors.codes {
            codes = cc_hevc_codes(
                are_stated: 1,
                matrix: stated.matrix,
                is_full_range: stated.isFullRange ? 1 : 0
            )
        }
        let transform = unsafe color.transform
        return try unsafe Raster(size: track.size, format: format) { rows throws(DecodeError) in
            try unsafe CodecFailure.check(.heic) { message in
                unsafe cc_hevc_write(
                    reader,
                    alpha?.reader,
                    &codes,
                    UInt32(format.bytesPerPixel),
                    transform,
                    rows,
                    message
                )
            }
        }
    }
}
