/** Image of a release, built from the unpacked archive, so that host and container run the same files. */
import { spawnSync } from 'node:child_process';
import { runTool } from './programs.ts';

const ENGINES = ['podman', 'docker'];

/** Returns the last stage of the repository's Dockerfile, which takes what the archive contains instead of what a stage built. */
export function toArchiveDockerfile(dockerfile: string): string {
  const head = dockerfile.slice(0, dockerfile.indexOf('\n'));
  const stage = dockerfile.slice(dockerfile.lastIndexOf('\nFROM ') + 1);
  const text = stage
    .replaceAll('--from=build /build/', '')
    .replace('COPY package.json ./', 'COPY package.json LICENSE NOTICE sbom.cdx.json ./');
  return `${head}\n# The service of this archive: no build and no package server.\n\n${text}`;
}

/** Builds and saves the image with the first engine that responds. Returns a sentence about the result. */
export function buildImage(archive: string, file: string, tag: string): string {
  const engine = ENGINES.find((name) => spawnSync(name, ['info'], { stdio: 'ignore' }).status === 0);
  if (engine === undefined) {
    return `no image: neither ${ENGINES.join(' nor ')} responds here; build it from the unpacked archive as INSTALL.md says`;
  }
  runTool(engine, ['build', '--tag', tag, '.'], archive);
  runTool(engine, ['save', '--output', file, tag], archive);
  return `image ${tag} built with ${engine}`;
}
