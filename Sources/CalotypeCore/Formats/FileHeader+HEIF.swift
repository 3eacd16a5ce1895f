extension FileHeader {
    /// AVIF or HEIC if the file starts with a matching `ftyp` box (ISO/IEC 14496-12 section 4.3).
    ///
    /// The brands of the codecs decide, the major brand before the compatible ones. `mif1` and `msf1` name
    /// only the container: without a codec's brand the file counts as HEIC.
    var heifBrand: ImageFormat? {
        guard has(Array("ftyp".utf8), at: 4), let boxSize = bigEndian(at: 0), boxSize >= 16, boxSize % 4 == 0
        else {
            return nil
        }
        // The word after the major brand is its version.
        let end = min(boxSize, bytes.count)
        let offsets = [8] + stride(from: 16, through: end - 4, by: 4)
        let brands = offsets.compactMap { brand(at: $0) }
        if let format = brands.lazy.compactMap({ Self.codecBrands[$0] }).first { return format }
        return brands.contains { ["mif1", "msf1"].contains($0) } ? .heic : nil
    }

    private static let codecBrands: [String: ImageFormat] = [
        "avif": .avif, "avis": .avif,
        "heic": .heic, "heix": .heic, "heim": .heic, "heis": .heic,
        "hevc": .heic, "hevx": .heic, "hevm": .heic, "hevs": .heic,
    ]

    private func brand(at offset: Int) -> String? {
        guard offset + 4 <= bytes.count else { return nil }
        return String(decoding: bytes[offset..<offset + 4], as: UTF8.self)
    }

    private func bigEndian(at offset: Int) -> Int? {
        guard offset + 4 <= bytes.count else { return nil }
        return bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
    }
}
