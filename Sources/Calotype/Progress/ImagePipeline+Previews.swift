internal import CalotypeCodecs
internal import CalotypeCore

extension ImagePipeline {
    /// Decodes the bytes of a transfer while they arrive, and offers what can be shown of it.
    ///
    /// A preview is made only while somebody waits for an event, and not more often than the configuration
    /// says.
    func makePreviews(of transfer: Transfer, for request: ImageRequest, _ status: VariantStatus) async {
        var maker = PreviewMaker(codecs: codecs(for: request), request)
        var cursor = Transfer.Cursor()
        var attempt = 0
        var madeAt: ContinuousClock.Instant?
        while let bytes = await transfer.bytes(since: &cursor) {
            if cursor.attempt != attempt {
                maker = PreviewMaker(codecs: codecs(for: request), request)
                attempt = cursor.attempt
            }
            let now = configuration.now()
            let isDue = madeAt.map { now - $0 >= configuration.previewInterval } ?? true
            let wantsPreview = isDue && status.isAwaited
            // Where one source sent what is no image, the next may send one.
            guard wantsPreview || !bytes.isEmpty, !maker.isGivenUp else { continue }
            do {
                // Read before: whoever is told of a decode that does not end must not wait for the maker.
                let (limits, format) = (request.decoding.limits, maker.format)
                let permit = try await stages.codecTurn(LivePriority(request.priority))
                defer { permit.end() }
                let preview = try await codecPool.decode(of: { format }, limits: limits) { [maker] in
                    maker.append(bytes, wantsPreview: wantsPreview)
                }
                if let preview {
                    madeAt = now
                    status.offer(preview)
                }
            } catch {
                // It takes too long, or nobody waits any more.
                return
            }
        }
    }
}
