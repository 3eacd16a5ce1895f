import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import TestSupport
import Testing

@testable import CalotypeSandbox

/// Messages of the program, as a worker decodes them.
@Suite(.alone) struct OrderTests {
    private static let options = EncodeOptions(
        maxByteCount: 60_000,
        maxSize: PixelBox(width: 300),
        background: RGBColor(red: 1, green: 2, blue: 3),
        frames: .first,
        keepsCopyright: true,
        keepsMetadata: true
    )

    /// Each encoder of the library with its default settings, and with another value of each setting.
    private static let encoders: [(default: any ImageEncoder, changed: any ImageEncoder)] = {
        var avif = AVIFEncoder(quality: 1, isLossless: true, speed: 2, chromaSubsampling: .yuv420)
        (avif.deepBitDepth, avif.options) = (12, options)
        let jpeg = JPEGEncoder(
            quality: 1,
            isProgressive: true,
            chromaSubsampling: .yuv422,
            options: options
        )
        var png = PNGEncoder(compressionLevel: 1, isInterlaced: true, options: options)
        png.maxColorCount = 3
        var webP = WebPEncoder(quality: 1, isLossless: true, effort: 2, options: options)
        webP.content = .photo
        return [
            (JPEGEncoder(), jpeg), (PNGEncoder(), png), (WebPEncoder(), webP),
            (AVIFEncoder(), avif),
            (HEICEncoder(), HEICEncoder(quality: 1, isLossless: true, options: options)),
            (JPEGXLEncoder(), JPEGXLEncoder(quality: 1, isLossless: true, effort: 2, options: options)),
            (TIFFEncoder(), TIFFEncoder(compression: .none, options: options)),
            (TIFFEncoder(), TIFFEncoder(compression: .deflate, options: options)),
            (TIFFEncoder(), TIFFEncoder(compression: .jpeg(quality: 3), options: options)),
            (GIFEncoder(), GIFEncoder(maxColorCount: 3, dithers: false, options: options)),
            (BMPEncoder(), BMPEncoder(options: options)),
            (ICOEncoder(), ICOEncoder(compressionLevel: 1, options: options)),
        ]
    }()

    private func received(_ job: Job) throws -> Job? {
        let message = try Order.job(job, inputByteCounts: [1, .max]).message()
        #expect(message.count < 4_096)
        guard case .job(let job, inputByteCounts: [1, .max]) = try Order(message: message) else { return nil }
        return job
    }

    private func received(_ encoder: any ImageEncoder) throws -> (any ImageEncoder)? {
        let message = try #require(EncoderMessage(encoder))
        let head = ImageHead(TestImages.photograph(PixelSize(width: 4, height: 3)))
        guard case .encode(let received, let copy)? = try received(.encode(message, head)) else { return nil }
        #expect(copy.message == head.message)
        return received.encoder
    }

    @Test func `every setting of every encoder arrives unchanged`() throws {
        for encoder in Self.encoders {
            // A setting that has its default here would arrive even if it were not sent.
            for (one, other) in zip(
                Mirror(reflecting: encoder.default).children,
                Mirror(reflecting: encoder.changed).children
            ) {
                #expect("\(one.value)" != "\(other.value)", "\(encoder.changed.format): \(one.label ?? "")")
            }
            let changed = try #require(try received(encoder.changed))
            #expect(AnyHashable(changed) == AnyHashable(encoder.changed))
            let unchanged = try #require(try received(encoder.default))
            #expect(AnyHashable(unchanged) == AnyHashable(encoder.default))
        }
        for (one, other) in zip(
            Mirror(reflecting: EncodeOptions()).children,
            Mirror(reflecting: Self.options).children
        ) {
            #expect("\(one.value)" != "\(other.value)", "\(one.label ?? "")")
        }
    }

    @Test func `every encoder of the library fits into a message`() throws {
        for format in ImageFormat.recognized {
            guard let encoder = CodecRegistry.standard.encoder(for: format) else { continue }
            #expect(EncoderMessage(encoder) != nil, "\(format)")
        }
    }

    @Test(
        arguments: [
            .full, .fit(width: 3), .fill(width: -3, height: .max), .fitBytes(7),
        ] as [DecodeOptions.Target]
    )
    func `options of a decode arrive unchanged`(target: DecodeOptions.Target) throws {
        let limits = DecodeLimits(
            maxPixelCount: 1,
            maxFrameCount: 2,
            maxFramePixelCount: 3,
            maxScanPixelCount: 4,
            maxWorkingByteCount: 5,
            maxByteCount: .max,
            maxDuration: .seconds(12_345) + .nanoseconds(678)
        )
        for scale in [nil, 1, 0.1, .infinity] {
            let options = DecodeOptions(
                target: target,
                frames: .first,
                scale: scale,
                limits: limits,
                appliesOrientation: false,
                convertsToSRGB: false,
                keepsWideGamut: true,
                keepsDepth: true,
                keepsMetadata: true,
                keepsGainMap: true,
                light: .linear,
                damage: .allowsPartialImage,
                pages: PageSelection(first: 2, count: 3)
            )
            guard
                case .frame(session: 3, let copy, index: 4)? = try received(
                    .frame(session: 3, options, index: 4)
                )
            else {
                Issue.record("another job arrived")
                continue
            }
            #expect(copy == options && copy.isScaleSet == options.isScaleSet)
        }
    }

    @Test func `a message from another build is an error`() throws {
        for message in [[], [1, 2, 3], Array(#"{"lock":1}"#.utf8)] {
            #expect(throws: DecodingError.self) { try Order(message: message) }
        }
    }
}
