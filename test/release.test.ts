/** Parts of a release that need no build: the changelog, the image of the archive, and the notices. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packageFolderOf } from '../deploy/release/programs.ts';
import { toArchiveDockerfile } from '../deploy/release/image.ts';
import { renderNotice } from '../deploy/release/notice.ts';
import manifest from '../package.json' with { type: 'json' };

const ROOT = join(import.meta.dirname, '..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

describe('the version', () => {
  it('is the newest of CHANGELOG.md, with upgrade notes', () => {
    const [, newest] = read('CHANGELOG.md').split(/^## /m);
    expect(newest!.split('\n')[0]).toBe(manifest.version);
    expect(newest).toMatch(/^### Upgrade notes\n\n1\. /m);
  });

  it('is that of the chart and of the lock file', () => {
    expect(/^appVersion: (.+)$/m.exec(read('deploy/helm/Chart.yaml'))![1]).toBe(manifest.version);
    expect(JSON.parse(read('package-lock.json'))).toMatchObject({ version: manifest.version });
  });
});

it('derives the image of the archive from the last stage of the Dockerfile', () => {
  const archive = toArchiveDockerfile(read('Dockerfile'));
  const copies = archive.split('\n').filter((line) => line.startsWith('COPY'));
  expect(copies).toEqual([
    'COPY package.json LICENSE NOTICE sbom.cdx.json ./',
    'COPY node_modules ./node_modules',
    'COPY dist ./dist',
  ]);
  expect(archive.match(/^FROM .*$/gm)).toEqual(['FROM node:24-slim']);
  expect(archive.split('\n')[0]).toBe('# syntax=docker/dockerfile:1');
});

describe('packageFolderOf', () => {
  it.each([
    ['/r/node_modules/viem/_esm/index.js', 'node_modules/viem'],
    ['/r/node_modules/@noble/hashes/sha2.js', 'node_modules/@noble/hashes'],
    ['/r/node_modules/a/node_modules/@b/c/d.js', 'node_modules/a/node_modules/@b/c'],
    ['/r/src/main.ts', undefined],
  ])('returns the package of %s', (path, folder) => {
    expect(packageFolderOf(path)).toBe(folder);
  });
});

describe('NOTICE', () => {
  let root: string;
  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), 'notice-'));
    const files = {
      'a/LICENSE': 'Text of a\n',
      'b/package.json': '{"author":{"name":"B Ltd"}}',
      'c/package.json': '{}',
      'd/package.json': '{"author":"D"}',
    };
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(join(root, path, '..'), { recursive: true });
      writeFileSync(join(root, path), text);
    }
  });
  afterAll(() => rmSync(root, { recursive: true }));
  const of = (path: string, license: string) => ({ path, name: path, version: '1.0.0', license });

  it('contains the license files of a package', () => {
    expect(renderNotice([of('a', 'ISC')], root)).toContain('a 1.0.0 (ISC)\n\nText of a\n');
  });

  it('contains the standard text and the author where MIT has no file', () => {
    expect(renderNotice([of('b', 'MIT')], root)).toContain('Copyright (c) B Ltd\n\nPermission is hereby granted');
  });

  it('refers to a package with the same license', () => {
    expect(renderNotice([of('a', 'MPL-2.0'), of('c', 'MPL-2.0')], root)).toContain(
      'c 1.0.0 (MPL-2.0)\n\nCopyright (c) the authors of the package\n\nThe text of the license is that of a in this file.',
    );
  });

  it('is refused for a license without any text', () => {
    expect(() => renderNotice([of('d', 'ISC')], root)).toThrow('d has no license text, and ISC has none here');
  });
});
