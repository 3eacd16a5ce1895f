internal import CalotypeCache
internal import CalotypeCodecs
internal import CalotypeCore
internal import FoundationEssentials

extension ImagePipeline {
    /// Makes the variant that a request asks for and keeps it in memory.
    func variant(_ key: ImageKey, of request: ImageRequest, source: String) async throws -> LoadedImage {
        // Another request may have put it there between this one's miss and its turn.
        if request.cachePolicy.variant.reads, let image = cache.memory[key] {
            return LoadedImage(image: image, source: .memory)
        }
        let original = try await original(for: request, source: source, variantKey: key)
        let result: LoadedImage
        if let decoded = original.decoded, decoded.key == key {
            result = LoadedImage(
                image: decoded.image,
                source: original.source,
                storeFailure: original.storeFailure
            )
        } else {
            result = try await decode(original, for: request, source: source, variantKey: key)
        }
        if request.cachePolicy.variant.writes {
            cache.memory.insert(result.image, forKey: key, cost: result.image.cost)
        }
        return result
    }

    /// Decodes an original; one that a store had and that is no image is removed there and loaded anew.
    private func decode(
        _ original: Original,
        for request: ImageRequest,
        source: String,
        variantKey: ImageKey
    ) async throws -> LoadedImage {
        do {
            let image = try await cache.decode(original.data, options: request.decoding)
            return LoadedImage(image: image, source: original.source, storeFailure: original.storeFailure)
        } catch  where original.source == .disk && error.isFaultOfInput {
            try await removeDamaged(source, of: request)
            guard request.cachePolicy.allowsLoading else {
                throw LoadError(stage: .decode, underlying: error)
            }
            var fresh = request
            fresh.cachePolicy.original = request.cachePolicy.original.writes ? .writeOnly : .none
            let loaded = try await self.original(for: fresh, source: source, variantKey: variantKey)
            return try await decode(loaded, for: fresh, source: source, variantKey: variantKey)
        } catch {
            throw LoadError(stage: .decode, underlying: error)
        }
    }

    func removeDamaged(_ source: String, of request: ImageRequest) async throws {
        guard request.cachePolicy.original.writes else { return }
        do {
            try await cache.remove(ImageKey(source), from: [.disk])
        } catch {
            notify {
                $0.pipeline(didFailToStore: request, error: LoadError(stage: .store, underlying: error))
            }
        }
    }

    func notify(_ body: (any PipelineObserver) -> Void) {
        for observer in configuration.observers { body(observer) }
    }
}

extension DecodeError {
    /// Whether the bytes are to blame, whatever the options are.
    var isFaultOfInput: Bool {
        [.unrecognizedFormat, .empty, .truncated, .corrupt].contains(code)
    }
}
