import NIOHTTP1
