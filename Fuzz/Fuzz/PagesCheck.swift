import CalotypeCore
import FoundationEssentials
import TestMaterial

@testable import CalotypeCodecs

/// The checks of pages, alone and stacked, and of icons written and read again.
enum PagesCheck {
    // MARK: Reading

    /// Checks the pages that the first two bytes select in the file after them.
    static func run(_ input: Data) {
        guard input.count > 2 else { return }
        let file = Data(input.dropFirst(2))
        let (first, count) = (Int(input[input.startIndex]), Int(input[input.startIndex + 1]))
        let pages = PageSelection(first: first, count: count)
        let pageCount = CodecRegistry.standard.details(of: file).pageCount
        precondition((1...PageIndex.maxCount).contains(pageCount), "the number of pages is bounded")
        let image = decode(file, pages)
        guard ImageFormat(sniffing: file).flatMap({ PageIndex(file, $0) }) != nil else {
            return checkFrames(of: file, pages)
        }
        checkInfo(of: file, pages, image)
        guard let image else { return }
        let selected = pages.indices(of: pageCount)
        precondition(!selected.isEmpty && selected.upperBound <= pageCount, "there is at least one page")
        let single = selected.prefix(32).map { decode(file, PageSelection(first: $0)) }
        precondition(single.allSatisfy { $0 != nil }, "pages of a stack can be decoded alone")
        if single.count == selected.count { checkStack(image, of: single.compactMap(\.self)) }
    }

    private static func checkInfo(of file: Data, _ pages: PageSelection, _ image: Image?) {
        do throws(DecodeError) {
            let limits = DecoderCheck.limits
            let info = try CodecRegistry.standard.info(of: file, limits: limits, pages: pages)
            precondition(image == nil || info.displaySize == image?.size, "the header states the size")
        } catch {
            precondition(!error.detail.isEmpty, "an error says what is wrong")
            precondition(image == nil, "what decodes has a header")
        }
    }

    /// Checks that pages are stacked downward at the left, with transparent pixels beside them.
    private static func checkStack(_ image: Image, of pages: [Image]) {
        precondition(image.width == pages.map(\.width).max(), "a stack has the width of its widest page")
        precondition(image.height == pages.reduce(0) { $0 + $1.height }, "a stack has all rows")
        let bytes = [UInt8](image.rgba8())
        var top = 0
        for page in pages {
            let rows = [UInt8](page.rgba8())
            for y in 0..<page.height {
                let row = bytes[4 * image.width * (top + y)..<4 * image.width * (top + y + 1)]
                let own = rows[4 * page.width * y..<4 * page.width * (y + 1)]
                precondition(row.prefix(own.count) == own, "a page of a stack has its own pixels")
                let rest = row.dropFirst(own.count)
                precondition(rest.allSatisfy { $0 == 0 }, "pixels beside a page are transparent")
            }
            top += page.height
        }
    }

    /// Checks that a page of an animation is its frame.
    private static func checkFrames(of file: Data, _ pages: PageSelection) {
        var options = DecoderCheck.whole
        (options.frames, options.pages) = (.first, PageSelection(first: pages.first))
        guard let animation = decode(file, nil)?.animation, let page = decode(file, options) else { return }
        let index = min(pages.first, animation.frameCount - 1)
        do {
            let frame = try animation.decodeFrame(at: index)
            precondition(page.rgba8() == frame.rgba8(), "a page is a frame")
        } catch {
            return
        }
    }

    private static func decode(_ file: Data, _ pages: PageSelection?) -> Image? {
        var options = DecoderCheck.whole
        options.pages = pages
        return decode(file, options)
    }

    private static func decode(_ file: Data, _ options: DecodeOptions) -> Image? {
        do throws(DecodeError) {
            return try CodecRegistry.standard.decode(file, options: options)
        } catch {
            precondition(!error.detail.isEmpty, "an error says what is wrong")
            return nil
        }
    }

    // MARK: Writing

    /// Checks an icon of an image whose size, format and pixels the input chooses.
    static func checkIcon(_ input: Data) {
        var choices = ByteChoices([UInt8](input))
        let size = PixelSize(width: 1 + choices.choice(of: 300), height: 1 + choices.choice(of: 300))
        let format = choices.choice(from: PixelFormat.eightBitFormats)
        var encoder = ICOEncoder(compressionLevel: choices.choice(of: 10))
        let image = filled(size, format, with: input)
        do {
            let file = try encoder.encode(image)
            checkIcon(file, of: image)
            encoder.options.maxByteCount = file.count
            let again = try encoder.encode(image)
            precondition(again == file, "a limit that suffices has no effect")
            encoder.options.maxByteCount = file.count - 1
        } catch {
            preconditionFailure("\(error)")
        }
        do throws(EncodeError) {
            _ = try encoder.encode(image)
            preconditionFailure("the limit of bytes applies")
        } catch {
            precondition(error.code == .limitExceeded, "\(error)")
        }
    }

    private static func checkIcon(_ file: Data, of image: Image) {
        do throws(DecodeError) {
            let entries = try IconDirectory(file).entries
            let again = try CodecRegistry.standard.decode(file, options: DecoderCheck.whole)
            precondition(entries.count == 1 && entries[0].isPNG, "an icon has one image, as PNG")
            precondition(entries[0].bitsPerPixel == 32 && entries[0].size == again.size, "of 32 bits a pixel")
            precondition(entries[0].range.upperBound == file.count, "the image ends with the file")
            precondition(again.format == .ico, "the result is an icon")
            if max(image.width, image.height) <= ICOEncoder.maxSide {
                precondition(again.size == image.size, "the size does not change")
                precondition(again.rgba8() == image.rgba8(), "the pixels do not change")
            } else {
                precondition(max(again.width, again.height) == ICOEncoder.maxSide, "a larger one is reduced")
            }
        } catch {
            preconditionFailure("\(error)")
        }
    }

    private static func filled(_ size: PixelSize, _ format: PixelFormat, with input: Data) -> Image {
        let count = size.pixelCount * format.bytesPerPixel
        var levels = input.isEmpty ? [0] : [UInt8](input)
        while levels.count < count { levels += levels }
        let pixels = PixelBuffer(byteCount: count) { [levels] in $0.copyBytes(from: levels.prefix(count)) }
        return Image(size: size, pixelFormat: format, pixels: pixels)
    }
}
