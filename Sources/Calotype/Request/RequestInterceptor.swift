internal import CalotypeLoading

/// Intercepts whole requests before the caches: changes or answers them, or inspects results.
///
/// It is used like `LoaderMiddleware`, which runs after the caches: take the request, call `next` (not at
/// all, once, or repeatedly), return a result.
///
/// ```swift
/// struct Thumbnails: RequestInterceptor {
///     func load(_ request: ImageRequest, next: InterceptedLoad) async throws -> LoadedImage {
///         var small = request
///         if small.decoding.target == .full { small.decoding.target = .fit(width: 1_024) }
///         return try await next.load(small)
///     }
/// }
/// ```
///
/// Every call of ``ImagePipeline/load(_:priority:)`` and of what is built on it (`image(for:)`, events,
/// slots, tasks, prefetches to memory) passes through it, even if the image is in memory. Keys are derived
/// from the request that is passed on. Rethrow errors as they are if possible, and `CancellationError`
/// always.
public protocol RequestInterceptor: Sendable {
    /// Loads an image, with `next` for the rest of the work.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - next: The next interceptor, or the pipeline.
    /// - Returns: The image.
    /// - Throws: ``LoadError``, `CancellationError`, or an error of your own, which the caller gets as the
    ///   ``LoadError/underlying`` one of a ``LoadError``.
    func load(_ request: ImageRequest, next: InterceptedLoad) async throws -> LoadedImage

    /// Loads bytes, with `next` for the rest of the work; calls only that unless implemented.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - next: The next interceptor, or the pipeline.
    /// - Returns: The bytes.
    /// - Throws: As ``load(_:next:)``.
    func data(for request: ImageRequest, next: InterceptedLoad) async throws -> EncodedImage
}

extension RequestInterceptor {
    /// Calls `next`.
    ///
    /// - Throws: The error of `next`.
    public func data(for request: ImageRequest, next: InterceptedLoad) async throws -> EncodedImage {
        try await next.data(for: request)
    }
}

/// The work after an interceptor: other interceptors, and then the pipeline.
public struct InterceptedLoad: Sendable {
    private let pipeline: ImagePipeline
    private let interceptors: ArraySlice<any RequestInterceptor>
    private let priority: LivePriority?
    private let onJoin: (@Sendable (VariantStatus) -> Void)?

    init(
        _ pipeline: ImagePipeline,
        _ interceptors: ArraySlice<any RequestInterceptor>,
        _ priority: LivePriority?,
        _ onJoin: (@Sendable (VariantStatus) -> Void)? = nil
    ) {
        (self.pipeline, self.interceptors) = (pipeline, interceptors)
        (self.priority, self.onJoin) = (priority, onJoin)
    }

    /// Returns the image for a request.
    ///
    /// - Throws: ``LoadError``, or `CancellationError`.
    public func load(_ request: ImageRequest) async throws -> LoadedImage {
        guard let next = interceptors.first else {
            return try await pipeline.found(request, priority, onJoin)
        }
        return try await next.load(request, next: rest)
    }

    /// Returns the bytes for a request.
    ///
    /// - Throws: ``LoadError``, or `CancellationError`.
    public func data(for request: ImageRequest) async throws -> EncodedImage {
        guard let next = interceptors.first else {
            return try await pipeline.encodedImage(for: request, priority)
        }
        return try await next.data(for: request, next: rest)
    }

    private var rest: InterceptedLoad {
        InterceptedLoad(pipeline, interceptors.dropFirst(), priority, onJoin)
    }
}

extension ImagePipeline {
    /// Loads an image through the interceptors.
    func intercepted(
        _ request: ImageRequest,
        _ priority: LivePriority?,
        _ onJoin: (@Sendable (VariantStatus) -> Void)?
    ) async throws -> LoadedImage {
        try await asLoadError {
            try await InterceptedLoad(self, configuration.interceptors[...], priority, onJoin).load(request)
        }
    }

    /// Loads bytes through the interceptors.
    func interceptedData(_ request: ImageRequest, _ priority: LivePriority?) async throws -> EncodedImage {
        try await asLoadError {
            try await InterceptedLoad(self, configuration.interceptors[...], priority).data(for: request)
        }
    }

    private func asLoadError<Value>(_ body: () async throws -> Value) async throws -> Value {
        do {
            return try await body()
        } catch let error where error is LoadError || error is CancellationError {
            throw error
        } catch {
            throw LoadError(stage: .load, underlying: error)
        }
    }
}
