import FoundationEssentials

/// HEVC streams with inter prediction, which no encoder of this package writes; written with plain x265 3.5,
/// each unit after a start code.
enum HEVCFixtures {
    /// 64 × 64 pixels, 12 frames: on a background of 20 + 6 i a bar of level 200, 8 wide and 32 high, at 4 i
    /// from the left and 16 from the top.
    ///
    /// Two independent groups of six.
    static let closed = data(
        """
        AAAAAUABDAH//wFgAAADAJAAAAMAAAMAHpWQCQAAAAFCAQEBYAAAAwCQAAADAAADAB6gIIEFllZKvK8BbAgAAAMACAAAAwBQQAAA
        AAFEAcFxoxIAAAABKAGvCchXsLA+yv/mbH/6jGhplnPJGeegzf84+Ck/XRIvt9DVuvFiyQiPgLHz/90RFeFNAAcAAAABAgHQEVeE
        ODYcY0QhYcDvAxL6iI8fYecXTVSWQXHc8aA3IMtlIAAAAAEAAeAkv4YmQhYcleVAZV68N2M+xSK3wpXTgG1KMOB8GYAAAAABAgHQ
        GfX1EOBY5jRGooDvAxLW+M1RFtxrIIfMgAAAAAECAdAoldfU+BYeY0RqSO8DEsVobKMOsGSkP8CHiIAAAAABAAHggi9f1GJkVMCV
        5UA/2/ABMQKGAAAAASgBrwnIV7CQPsr/3TH/6jGhplnPJGeegPUfGKSFbqKwUMP2rujNY3E27YnTwwOiAAAAAQIB0Al+PjhJjRGo
        oO8DErxt8ayMsIlIh3zAAAAAAQIB0BH/1Pg4SY0RVe8DEroZfK8MGIeTgAAAAAECAdAglf9RDgNgmY0Rq2DvAxK5Ve9VNUivQuzR
        VaCKm4AAAAABAAHgYi//UYmRVZXlQANwEAWVYALCAAAAAQIB0Ci9f9T4OFGNkVXvAxK4d4yvpUiH0YA=
        """
    )

    /// As above, but frames shown before the second group also depend on its first frame.
    static let open = data(
        """
        AAAAAUABDAH//wFgAAADAJAAAAMAAAMAHpWQCQAAAAFCAQEBYAAAAwCQAAADAAADAB6gIIEFllZKvK8BbAgAAAMACAAAAwBQQAAA
        AAFEAcFxoxIAAAABKAGvCchXsLA+yv/mbH/6jGhplnPJGeegzf84+Ck/XRIvt9DVuvFiyQiPgLHz/90RFeFNAAcAAAABAgHQGV+E
        OBGCpjRDBRiQ7wMS+oiPC60vSj03qpXKPcuXoq3q2L56KH/STdd3M+XU7lxye3aA9DWzkIDK2RAAAAABAgHgRJfhixCNSRsE03oQ
        jSqffP5Ga+kOUr+n4KRIbuUmUd/4J1QAAAABAAHgJP/6LEyELDiV5UBlN14bsZ9ikVvhSunAbUow4HwZgAAAAAEqAawYS0nCchXs
        JD7K/90x/+oxoaZZzyRnnoD1HxikhW6isFDD9q7ozWNxNu2J08MDogAAAAESAeCiJdf1GLEI3LAbBNN6EI0qZuCPZh6rH2KQW/GJ
        uwqgc3jwT1+AezP8TI8AAAABEAHghv/9IsTI01CV5UCK3GiQXReAAZ8AAAABAgHQSV+MoWDZjZCFp+8DErxuN/Axmcvd1QNyCwvQ
        sNv2lYd4wAAAAAECAeEEl+GLEI0LGwTTehCNKmbtoEcSxrpLSHHIs0yCwHtLAPd6AAAAAQAB4OT/+ixIjTWV5UAaMB4wGXiQAYcA
        AAABAgHQWJXX1IaGCpjZCFKQ7wMSuLvorFzaMw2zQLCrpCWQh7qAAAAAAQAB4UIvX9RiRFVAleVAA3AQBZVgAsI=
        """
    )

    /// 64 × 64 lossless 10-bit pixels, 2 frames: 16 x + 2 (y / 8) + 3 i from left to right.
    static let tenBits = data(
        """
        AAAAAUABDAH//wIgAAADAJAAAAMAAAMA/7oCQAAAAAFCAQECIAAAAwCQAAADAAADAP+gIIEE2W6q8rwFsCAAAAMAIAAAAwFBAAAA
        AUQBwXGrEgAAAAEoAa8FsgnXOdrwJKX/gZv///EvviRtjblCPoI+hVJ/KoI+hYPIl8JvxYPIl8WDyJfIZuDAH+3/a/G+duu7t179
        9773v/lUbHAACzmry/L89c7f/ndlSRkjGBgAA6nvLwLdOuVMqiqGZE2JraV6/gAgAAqqoLPuQADc608MY1gAAKlQLXAAAjt6lhZN
        cApqIM+1WZ/J47pPe9ZOyc3X6AV85+aNjLxwhEOEU6aU0pTvxlgADVh5wh4Km7SHdaS0JozRi5QAE3UHpcdQEHemY73iwvhe+MMB
        e1AAAqVBqMAACpU2ADsgAAKlQVegABUqauAN4AxJEscIg8jBs7oODLfS+lHhgAz4r8PaNWBPxEJ+lyyllKWxAAADAh7N9isNpeWn
        dy1O3XOuc3wABC2k7KAibI/ZEH7uO+t9a4UELhAACO3BbjAAQSaDCdIAAHRnXWgABUqZQBCgD/b/tfjfO3Xd269++9973hdAD/b/
        tfjfO3Xd269++99735QAAAdr0N2Wr8SjyiEelAcU4pQyABeyo5Ida1xC9VIYgH3fu+AAJhCAAEduG8AAAqVMoM+gAAiZGEIAAHm0
        XsA8DpP////PgAAAQaqqEAAAAwAMP/PAAAADAM6qAYAAAhf96B4iAAIzf3GAABh5GkZAgUAAAQFUVAAAAwO3/EgAACz/6FAAAk1T
        CDNgAAVaYkNAAEF7LQGD4AAh5Vd6AAIw48hCkAAHRnSxAAB3t+QQSAABn1l7oAAnBi1HlAAA2ZhjIAAQc/XBCEAAIZC1PgACoqfE
        otAAFX64FAACNi5okiAAEfCp6AAB6XTQdcAAD4BP2AAB9Vy4L3wABc7LZoAAu9hYQRAACaGlMgABNt7CbMAAEH5IeAACE8lYu/AA
        GI3RPgADFxRqUWUIgAADHVI4AACFVNAAACHVSmAABN/7IT5AACGQtT4AAqKp6CtQAAD0qbYAAGr/lQAANyqaIAALX/SjOgAAdRCr
        eAAK6dyBHEAAI+FT0AAD0umg64AAHwCfsAAD6rlxBkAAJbLwkAAEAohRQ6AAL3RTtAAF/oKAtvAAGCP9+gADDHvRD0AAJ9k3SAAF
        BdAJ6QAAQ/UZIAAIjqTjdgAAiZGEQAARUjQC50AAZi8leAAM0K4EwQAAp1Sw0AAZ4NuKPQABn1nR4AA0QLYUOgADRqOLwABpKytA
        Zb+mAACNVMgAAFRVAQAAOX/tAAAPFUZGJ4AAwR/v0AAYY/POkAAANlUfAAAmKoSAABrqoJAACZVLxCkAAJ9k3SAAFBdAIqtAAGOJ
        63gADIaZRGEAAKNcxCAAFJY/KBIAAUqxfEAAKat9T2gAAjItqIAAVABOj+gAAjd4QIAAVKmUJrQABo1HF4AA0lWAT5AACrTIEgAB
        V/DwqdAAGonAvgADU+qgt/AAGrQVHgADWTVBdeAANbzTfAAGvP/DF8AAa85Q+AANhJTGl4AA2O9F8AAbHnPgAAAAAQIB0Al+EMYL
        ZBHnxcMK3EY//345D/jLZ/A7f8SFutX7deBtPO9jg8Uzv8xANT/KwNd/KIKP/XClfN/8QEg/t9/rMG5T5qC4uGlf3aOt/FKWf2mF
        o/pfxRb+MXs/hOb/2QX3+gh6b+72g/l+u/1E1/8oETf9RTr+xZf/aDufxGYx/v9/f4DCP73a3+UgkG/n/JfzbqP5XvP9DGgP7mmv
        9lVX+qpZ/aZZ//DYX/ekr/tSI/3cW7fwcM/3NQf6+kf9uBZf/DIt/dNA/r+Uf2vMMq/JuArKov4t/wCAMJ/Pd2/olMD/OG2/kny/
        w14v4eC6XtqvmDR695a/oFG/7kjH90CoBM3/NGr/lVCub3Ha5Eu3xe3/+GIt/dLRfy6VT+qzIf+HPL/DbfQPquZKMF+k8B/vZKv7
        Vcf+OCI/3dcZv6lrv9RXb+iVU/qtHp/POx/k73fwjf/6AUi/x6Bf37Lv7Rh/94IRv6R1n8p/L+Deh/GB0z/AZf/aFo/pee/2Et9/
        gct/tK0/0tRP67Xi/v2af2XcP6Pq39UtV/2tY/6c038s6f+WSIv9mXD+j9t/JOu/lIdAZ+TcBWVRoxb/gEAaT+W9l/Jsfn9B7P+T
        Pp/BgF/ftcXmlv+AQKBfBrekVO/rGq/1WpgOUf1/d/6JLMH+l4zfYG+A/R/ba0/0tJv7ZHz/gyY3+iMt/NSBQPteWk0IepB9/j6K
        f3W3n8hke/uHOR/sam/1ldv6JWb+mX0f6myf82dz+I7v/RESH9B8b+OhL+7Xp/ha5H+BTX+yrt/RNU/qv3B/dVS/q3MfzPh/54mw
        /lQB/v6c/2NJv7Zei/qvNfzL6v4V8v8NZt/uGt/1Jov5d1P8rnCP5f+X8HGP9nSn+1uLc37Fv+AQLdi3/AIA0f8ubb+ScFf4FKf7
        WrH9T2D+oBMQsHz6gsbFI4UlbsP/PGX/mmVAFrH8HGP9ne6cfa8weCEXD+//mh+/4E0/8sFy/o2Wr+jct/NSPQPteWk0J+x2j/ey
        jf1zBf76Fp/pcUS/g4O/vGZf2alv9pQtf0fsv5OA/78bT+S8gf3VUv6tzH8z4D+f7RP4QL/7Qt/9IVH+rv+P9UZ3+Yvh/B/j/hzs
        f9aZD+b/B/D/Y/ifrf9bY3+cu9/EPc/iPw39X5X+avP/DHs/hR4f+5av/VGd/mLXfykxLm/Yt/wCBbsW/4BAGj/lzcfyPs3+26j/
        V2E/nvLfzUqiFe////pvf9NSv6Xyv0kgAAWAAAGyWf///Bx34MbrwRDrgDIAA9gAAEh/t6Y/2eYg
        """
    )

    private static func data(_ text: String) -> Data {
        Data(base64Encoded: text, options: .ignoreUnknownCharacters) ?? Data()
    }
}
