internal import CalotypeCache
internal import CalotypeCodecs
internal import CalotypeCore
internal import CalotypeLoading
internal import FoundationEssentials

extension ImagePipeline {
    /// The bytes for a request: from the stores, else from the loader; shared by all that ask at the same
    /// time.
    ///
    /// Where they are loaded, they are decoded for the variant with `variantKey` before they are kept;
    /// without one only their header is read.
    func original(for request: ImageRequest, source: String, variantKey: ImageKey?) async throws -> Original {
        try await originals.value(for: OriginalKey(source: source, request: request)) { deliver in
            if let data = try await self.storedOriginal(of: request, source: source) {
                return Original(data: data, source: .disk)
            }
            guard request.cachePolicy.allowsLoading || !request.isRemote else {
                throw LoadError(stage: .cache, underlying: NotInCacheError())
            }
            return try await self.loadOriginal(
                of: request,
                source: source,
                variantKey: variantKey,
                deliver: deliver
            )
        }
    }

    private func storedOriginal(of request: ImageRequest, source: String) async throws -> Data? {
        guard request.isRemote, request.cachePolicy.original.reads else { return nil }
        do {
            return try await cache.blob(forKey: source)?.blob.data
        } catch let error as DiskCacheError where request.cachePolicy.allowsLoading {
            // A store that cannot be read is no reason to fail where the bytes can be loaded.
            notify {
                $0.pipeline(didFailToStore: request, error: LoadError(stage: .cache, underlying: error))
            }
            return nil
        } catch let error as DiskCacheError {
            throw LoadError(stage: .cache, underlying: error)
        }
    }

    /// Loads, decodes, delivers, stores; in this order unless the request waits for the store.
    ///
    /// - Returns: What has not been delivered.
    private func loadOriginal(
        of request: ImageRequest,
        source: String,
        variantKey: ImageKey?,
        deliver: SharedWork<OriginalKey, Original>.Delivery
    ) async throws -> Original? {
        var original = try await fetch(request)
        guard request.isRemote, request.cachePolicy.original.writes else { return original }
        do {
            if let variantKey {
                let image = try await cache.decode(original.data, options: request.decoding)
                original.decoded = Original.Decoded(key: variantKey, image: image)
            } else {
                _ = try await cache.info(of: original.data, limits: request.decoding.limits)
            }
        } catch {
            // Each request decodes for itself and reports its own error; nothing is kept.
            return original
        }
        if request.waitsForStore {
            original.storeFailure = await store(original.data, of: request, source: source)
            return original
        }
        deliver(original)
        _ = await store(original.data, of: request, source: source)
        return nil
    }

    private func fetch(_ request: ImageRequest) async throws -> Original {
        let fetch = FetchRequest(
            url: request.url,
            headers: request.headers,
            byteCountMax: request.decoding.limits.byteCountMax
        )
        do {
            let response = try await configuration.loader.response(for: fetch)
            let data = try await collect(response, of: request)
            return Original(data: data, source: LoadedImage.Source(response.origin))
        } catch let error as FetchError {
            throw LoadError(stage: .load, underlying: error)
        }
    }

    private func collect(_ response: FetchResponse, of request: ImageRequest) async throws -> Data {
        var data = Data()
        data.reserveCapacity(min(response.expectedByteCount ?? 0, 1 << 20))
        for try await chunk in response.body {
            data.append(chunk)
            notify {
                $0.pipeline(didReceive: data.count, expected: response.expectedByteCount, of: request)
            }
        }
        return data
    }

    /// Writes an original to its store; a failure is told to the observers and returned, never thrown.
    private func store(_ data: Data, of request: ImageRequest, source: String) async -> LoadError? {
        do {
            try await cache.store(data, for: ImageKey(source))
            return nil
        } catch {
            let failure = LoadError(stage: .store, underlying: error)
            notify { $0.pipeline(didFailToStore: request, error: failure) }
            return failure
        }
    }
}

extension ImageRequest {
    /// Whether the bytes come from elsewhere, so that a copy in a store saves something.
    var isRemote: Bool {
        let scheme = url.scheme?.lowercased()
        return scheme != "file" && scheme != "data"
    }
}

extension LoadedImage.Source {
    fileprivate init(_ origin: FetchResponse.Origin) {
        switch origin {
        case .network: self = .network
        case .file: self = .file
        case .inline: self = .data
        }
    }
}
