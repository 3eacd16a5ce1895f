internal import CalotypeCodecs
internal import CalotypeCore

extension Stages {
    /// Decodes the bytes of a transfer while they arrive, and offers previews.
    ///
    /// A preview is decoded only while a consumer waits for an event, and not faster than the configured
    /// interval.
    func makePreviews(of transfer: Transfer, for request: ImageRequest, _ status: VariantStatus) async {
        var maker = PreviewDecoder(codecs: settings.codecs(for: request), request)
        var cursor = Transfer.Cursor()
        var attempt = 0
        var madeAt: ContinuousClock.Instant?
        while let bytes = await transfer.bytes(since: &cursor) {
            if cursor.attempt != attempt {
                maker = PreviewDecoder(codecs: settings.codecs(for: request), request)
                attempt = cursor.attempt
            }
            let now = configuration.now()
            let isDue = madeAt.map { now - $0 >= configuration.previewInterval } ?? true
            let wantsPreview = isDue && status.isAwaited
            // If one source sent bytes that are not an image, the next may send one.
            guard wantsPreview || !bytes.isEmpty, !maker.isGivenUp else { continue }
            do {
                // Read in advance: the report of a decode that does not end must not wait for the maker.
                let (limits, format) = (request.decoding.limits, maker.format)
                let permit = try await self.limits.codecTurn(LivePriority(request.priority))
                defer { permit.end() }
                let preview = try await codecPool.decode(of: { format }, limits: limits) { [maker] in
                    maker.append(bytes, wantsPreview: wantsPreview)
                }
                if let preview {
                    madeAt = now
                    status.offer(preview)
                }
            } catch {
                // The decode takes too long, or was cancelled.
                return
            }
        }
    }

    /// Returns the closure that creates previews of a transfer for a request.
    func previewMaking(_ request: ImageRequest) -> VariantStatus.PreviewMaking {
        { transfer, status in await self.makePreviews(of: transfer, for: request, status) }
    }
}
