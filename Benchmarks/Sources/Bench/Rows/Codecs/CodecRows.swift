/// Decoders, encoders, thumbnails and animations against the C libraries.
enum CodecRows {
    static let all = DecodeRows.all + EncodeRows.all + ThumbnailRows.all + PlaybackRows.all
}
