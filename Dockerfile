# syntax=docker/dockerfile:1
# The built service and the packages that its bundle loads, 45 MB over the base image, without compiler and package cache.

FROM node:24-slim AS build
WORKDIR /build
RUN apt-get update && apt-get install --yes --no-install-recommends python3 make g++ && rm -rf /var/lib/apt/lists/*
COPY package.json package-lock.json ./
COPY devnet/native/package.json devnet/native/
RUN npm ci
COPY . .
RUN npm run build && npm prune --omit=dev && node deploy/prune-modules.ts

FROM node:24-slim
ENV NODE_ENV=production MALLOC_ARENA_MAX=1 HOST=0.0.0.0 ADMIN_HOST=0.0.0.0 DATABASE_URL=sqlite:/data/svc.db
WORKDIR /service
COPY --from=build /build/package.json ./
COPY --from=build /build/node_modules ./node_modules
COPY --from=build /build/dist ./dist
RUN mkdir /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 8000 9464
STOPSIGNAL SIGTERM
# Without ADMIN_PORT the public port is checked, which counts as a caller.
HEALTHCHECK --interval=15s --timeout=3s --start-period=10s \
  CMD ["node", "-e", "const {ADMIN_PORT:a='9464',PORT:p='8000'}=process.env;fetch('http://127.0.0.1:'+(a==='0'?p:a)+'/health').then(({ok})=>process.exit(ok?0:1),()=>process.exit(1))"]
ENTRYPOINT ["node", "--max-semi-space-size=2", "--", "dist/svc.js"]
CMD ["serve"]
