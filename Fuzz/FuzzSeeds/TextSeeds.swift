import Foundation

/// Targets of the service, metadata and settings as text: inputs of parsers of text, by target.
enum TextSeeds {
    static let all: [(target: String, inputs: [Data])] =
        [
            ("nextImage", nextImage), ("cloudflare", cloudflare), ("imgproxy", imgproxy),
            ("thumbor", thumbor), ("xmp", packets), ("gainMap", gainMaps),
            ("originPattern", patterns), ("originFields", fields), ("certificate", certificates),
        ].map { target, texts in (target, texts.map { Data($0.utf8) }) }

    private static let nextImage = [
        "url=/photos/a.jpg&w=640&q=75", "url=%2Fphotos%2Fa%20b.jpg%3Fv%3D1&w=16&q=1",
        "w=1920&q=100&url=https%3A%2F%2Fb.example%3A8443%2F%C3%A9.png&x=1",
        "url=/a+b&w=640&q=75&w=16", "url=//c.example/a&w=640&q=75", "url=https://%5B::1%5D/a&w=1&q=2",
    ]

    private static let cloudflare = [
        "width=80,quality=75/uploads/a.jpg",
        "w=640,h=480,fit=pad,background=%23ff8000/https://b.example/a?c=d",
        "fit=cover,width=640,height=480,gravity=0.25x0.75,dpr=2/a.jpg",
        "trim=1;2;3;4,rotate=90,flip=hv/a.jpg", "trim.left=1,trim.width=5,fit=squeeze,w=16/a.jpg",
        "blur=20,sharpen=1,brightness=1.5,contrast=0.5,gamma=2,saturation=0/a.jpg",
        "f=auto,anim=false,metadata=copyright,onerror=redirect/a.jpg",
        "background=rgb(1%2C2%2C3),fit=pad,w=1,h=1/a", "width%3D80%2Cheight%3D60/a.jpg",
        "w=640,f=baseline-jpeg,upscale=interpolate/https%3A%2F%2Fb.example%2Fa",
        "g=left,fit=crop,w=1/http:/b.example/a",
        "g=auto,fit=aspect-crop,w=16,h=16/a",
    ]

    private static let source = "/plain/https://a.example/b.jpg"

    private static let imgproxy =
        [
            "rs:fill:300:200:1:1/g:fp:0.25:0.75/dpr:2", "s:10:20:0:1:noea:1:2/z:2:0.5/mw:5/mh:6",
            "c:0.5:100:sowe:1:2/g:sm/rt:fill-down/exar:1:we:5:0", "t:10:ff00ff/pd:1:2:3:4/rot:90/fl:1:0",
            "bg:255:128:0/bga:0.5/bl:2/sh:0.7", "a:10:1.5:0.5/mc:0.5:b3b3b3/dt:0.25:001122:ffeedd",
            "br:-20/co:2/sa:3/ush:always:1.5:20/pix:8", "col:0.3:f00:1/gr:0.7:000:down:0.1:0.9",
            "gr:1:fff:45:0:1/bg:fff", "wm:0.5:soea:10:20:0.25/wms:100:50/wmr:45",
            "wm:1:re:5:-5:0/wmu:aHR0cHM6Ly9hLmV4YW1wbGUvdy5wbmc", "wm:0.5:ce::0.1/wmu:bG9jYWw6Ly8vdy5wbmc",
            "jpgo:1:1/pngo:1:1:64/webpo:lossless::photo/avifo:on", "pg:2/pgs:3/maf:10/da:1",
            "q:80/fq:jpeg:70:webp:60/mb:1000/f:webp", "sm:1/kcr:1/scp:0/ph:1/skp:png:gif/raw:0",
            "cb:x/exp:1900000000/fn:bmFtZQ:1/att:1", "exif:1/iptc:0/xmp:0/vm:0",
        ].map { "/" + $0 + source } + [
            "/w:100/aHR0cHM6Ly9hLmV4YW1wbGUvYi5qcGc.png", "/rs%3Afit%3A10/plain/http:/a.example/b@webp",
            "/g:no:-0:0.5/plain/local:///a%20b", "/pr:a/plain/https://web.example/https:/b.example/c",
        ]

    private static let thumbor =
        [
            "300x200", "trim:top-left:5/10x20:610x420/fit-in/-300x-0/left/top",
            "adaptive-full-fit-in/300xorig",
            "0x5/smart/filters:focal(1x2:30x40)", "filters:brightness(10):contrast(-5):saturation(2)",
            "filters:fill(blur,1):rotate(90):proportion(0.5):upscale()", "filters:fill(auto):no_upscale()",
            "filters:fill(%23ff0):stretch():quality(80):format(webp)", "filters:blur(7,2):sharpen(2,1,true)",
            "filters:colorize(10,20,30,ff0000):rgb(1,-2,3)", "filters:noise(40,7):equalize():grayscale()",
            "filters:convolution(1;2;1;2;4;2;1;2;1,3,true)", "filters:round_corner(20|30,255,255,255)",
            "filters:curve([(0,0),(255,255)],[(0,50),(16,51)],[],[(1,2)])",
            "filters:hue(90):pixelate(5):invert()",
            "filters:watermark(https://a.example/w.png,10,-20p,50,20,none)",
            "filters:watermark(w.example/w.png,repeat,center,0)",
            "filters:autojpg():max_frames(3):max_age(60)",
            "filters:strip_exif():strip_icc():max_bytes(1000):cover():background_color(red)",
        ].map { $0 + "/a.example/b.jpg" } + [
            "300x200/https%3A//a.example/b%20c", "local:///a.jpg", "filters:quality%2880%29/a.example/b",
        ]

    private static let packets = [
        "<?xpacket begin='' id='W5M0MpCehiHzreSzNTczkc9d'?><x:xmpmeta xmlns:x='adobe:ns:meta/'><rdf:RDF>"
            + "<rdf:Description tiff:Orientation=\"6\" dc:title='å'/></rdf:RDF></x:xmpmeta>",
        "<x:xmpmeta><rdf:RDF><tiff:Orientation>8</tiff:Orientation></rdf:RDF></x:xmpmeta>",
        "<rdf:RDF tiff:Orientation='3'/>", "<rdf:RDF xmlns:hdrgm='http://ns.adobe.com/hdr-gain-map/1.0/'/>",
    ]

    private static let gainMaps = [
        "<x:xmpmeta xmlns:hdrgm=\"http://ns.adobe.com/hdr-gain-map/1.0/\" hdrgm:GainMapMax=\"2.5\""
            + " hdrgm:GainMapMin='-0.5' hdrgm:Gamma=\"1\" hdrgm:OffsetSDR=\"0.015625\""
            + " hdrgm:HDRCapacityMax=\"2.5\" hdrgm:BaseRenditionIsHDR=\"False\">",
        "<x:xmpmeta xmlns:hdrgm=\"http://ns.adobe.com/hdr-gain-map/1.0/\"><hdrgm:GainMapMax><rdf:Seq>"
            + "<rdf:li>1e0</rdf:li><rdf:li> 2 </rdf:li><rdf:li>3.25</rdf:li></rdf:Seq></hdrgm:GainMapMax>",
        "\0\0\0\0@" + String(repeating: "\u{1}", count: 57),
    ]

    private static let patterns = [
        "https://images.example", "http://10.0.0.5:8080/", "https://*.images.example:8443", "HTTP://[::1]:80",
        "https://b\u{FC}cher.example", "https://*.10.0.0.5",
    ]

    private static let fields = [
        "Authorization: Basic dXNlcjpwYXNzd29yZA==\nX-Key: secret-secret\nUser-Agent: a/1",
        "Authorization: Bearer abcd.efgh\nAccept: image/*", "Range: bytes=0-\n", "X\u{E9}: 1",
    ]

    /// A certificate of a key that exists nowhere, and damaged ones.
    private static let certificates = [
        certificate, certificate + certificate, certificate + "-----BEGIN PRIVATE KEY-----\nMC4=\n",
        "-----BEGIN ENCRYPTED PRIVATE KEY-----\nMA==\n-----END ENCRYPTED PRIVATE KEY-----\n",
    ]

    private static let certificate = """
        -----BEGIN CERTIFICATE-----
        MIIBLjCB4aADAgECAhR2HaGzVz3+kwFS+x+gNBGdREm2gzAFBgMrZXAwDDEKMAgG
        A1UEAwwBYTAgFw0yNjExMjcxNTMyNTJaGA8yMTI2MTEwMzE1MzI1MlowDDEKMAgG
        A1UEAwwBYTAqMAUGAytlcAMhABws6dU1wDw5WiR8ll0bGXZhF6hZVWMEasG7ezRr
        AgJho1MwUTAdBgNVHQ4EFgQUzZ70lP1zaw+o1odVjbiNg2J/Z2AwHwYDVR0jBBgw
        FoAUzZ70lP1zaw+o1odVjbiNg2J/Z2AwDwYDVR0TAQH/BAUwAwEB/zAFBgMrZXAD
        QQBTQ8Cjn82p3FBOxcSyU/vkj1PKC0MqTIFr1Afo5o5K01VopCWM336WjntyxQh1
        6U02ziQ3fNMxWceao1oKRAMJ
        -----END CERTIFICATE-----

        """
}
