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
    typealias Load<Value> = @Sendable (ImageRequest) async throws -> Value

    private let interceptors: ArraySlice<any RequestInterceptor>
    private let image: Load<LoadedImage>
    private let encodedImage: Load<EncodedImage>

    /// - Parameters:
    ///   - interceptors: The interceptors that have not been called.
    ///   - image: Loads an image after all of them.
    ///   - data: Loads encoded bytes after all of them.
    init(
        _ interceptors: ArraySlice<any RequestInterceptor>,
        image: @escaping Load<LoadedImage>,
        data: @escaping Load<EncodedImage>
    ) {
        self.interceptors = interceptors
        self.image = image
        encodedImage = data
    }

    /// Runs the first call; other errors than a pipeline's become errors of the load.
    func first<Value>(_ body: (InterceptedLoad) async throws -> Value) async throws -> Value {
        do {
            return try await body(self)
        } catch let error where error is LoadError || error is CancellationError {
            throw error
        } catch {
            throw LoadError(stage: .load, underlying: error)
        }
    }

    /// Returns the image for a request.
    ///
    /// - Throws: ``LoadError``, or `CancellationError`.
    public func load(_ request: ImageRequest) async throws -> LoadedImage {
        guard let next = interceptors.first else {
            return try await image(request)
        }
        return try await next.load(request, next: rest)
    }

    /// Returns the bytes for a request.
    ///
    /// - Throws: ``LoadError``, or `CancellationError`.
    public func data(for request: ImageRequest) async throws -> EncodedImage {
        guard let next = interceptors.first else {
            return try await encodedImage(request)
        }
        return try await next.data(for: request, next: rest)
    }

    private var rest: InterceptedLoad {
        InterceptedLoad(interceptors.dropFirst(), image: image, data: encodedImage)
    }
}
