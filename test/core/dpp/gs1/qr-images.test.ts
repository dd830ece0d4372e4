import { expect } from 'chai'
import { decode } from 'fast-png'
import decodeQR from 'qr/decode.js'
import { createQrPng, createQrSvg } from '../../../../core/features/dpp/gs1/qr.ts'
import { drawQrPaths, readQrPixels } from './qr-pictures.ts'

describe('QR codes: images', () => {
  it('hold addresses of any length', () => {
    for (const length of [20, 120, 400, 900]) {
      const text = `https://a.example/${'x'.repeat(length)}`
      expect(decodeQR(readQrPixels(createQrPng(text, 512)))).to.equal(text)
      expect(decodeQR(drawQrPaths(createQrSvg(text, 64)))).to.equal(text)
      expect(decode(createQrPng(text, 64)).width).to.be.at.least(64)
    }
  })
})
