// Draws impulse space and the laws' impulses as the sliders move. space.cpp computes, in WebAssembly.
import * as THREE from "three";
import { OrbitControls } from "./OrbitControls.js";

const DEGREE = Math.PI / 180;
// In the order of Setting in space.cpp.
const SLIDERS = [
  { text: "friction μ", low: 0, high: 1.5, value: 0.6 },
  { text: "restitution e", low: 0, high: 1, value: 0.5 },
  { text: "tangential restitution e_t", low: -1, high: 1, value: 0 },
  { text: "Brach's ratio along the first slip", low: -1, high: 1, value: 0.3 },
  { text: "Brach's ratio across it", low: -1, high: 1, value: 0 },
  { text: "tilt of the box [°]", low: 0, high: 90, value: 35, unit: DEGREE },
  { text: "turn of the box [°]", low: -180, high: 180, value: 20, unit: DEGREE },
  { text: "first slip [m/s]", low: 0, high: 3, value: 1 },
  { text: "direction of the slip [°]", low: -180, high: 180, value: 180, unit: DEGREE },
];
const RESTITUTION_LAWS = ["energetic (Stronge)", "kinetic (Poisson)", "kinematic (Newton)"];
const COLOURS = ["#d1495b", "#555555", "#111111", "#2a6fb0", "#00798c", "#edae49", "#8d5a97", "#66a182", "#e36414", "#3d405b"];
const FACES = ["#8fabc4", "#dcb878", "#93c2a0"].map(colour => new THREE.Color(colour));
const CURVE = 41;

// Nothing is written and no clock is read, so that what WASI asks for is never called but at the end.
const wasi = new Proxy({}, { get: () => () => 0 });
const { instance } = await WebAssembly.instantiateStreaming(fetch("space.wasm"), { wasi_snapshot_preview1: wasi, env: wasi });
const carom = instance.exports;
carom._initialize?.();
const doubles = (at, count) => new Float64Array(carom.memory.buffer, at, count);
const text = at => {
  const bytes = new Uint8Array(carom.memory.buffer, at);
  return new TextDecoder().decode(bytes.slice(0, bytes.indexOf(0)));
};
const laws = Array.from({ length: carom.law_count() }, (_, i) =>
  ({ name: text(carom.law_name(i)), mayGainEnergy: !!carom.law_may_gain_energy(i), colour: COLOURS[i % COLOURS.length] }));

const canvas = document.querySelector("canvas");
const renderer = new THREE.WebGLRenderer({ canvas, antialias: true, preserveDrawingBuffer: true });
const scene = new THREE.Scene();
scene.background = new THREE.Color("#ffffff");
const camera = new THREE.PerspectiveCamera(32, 1, 0.01, 100);
camera.up.set(0, 0, 1);
camera.position.set(2, -3.2, 2.2);
const controls = new OrbitControls(camera, canvas);
scene.add(new THREE.HemisphereLight("#ffffff", "#8a94a0", 2.6));
const sun = new THREE.DirectionalLight("#ffffff", 1.2);
sun.position.set(-2, -3, 4);
const axes = new THREE.AxesHelper(1);
scene.add(sun, axes);

const rows = carom.boundary_latitudes(), columns = carom.boundary_longitudes();
const region = new THREE.Mesh(new THREE.BufferGeometry(), new THREE.MeshLambertMaterial({
  vertexColors: true, side: THREE.DoubleSide, transparent: true, opacity: 0.6, depthWrite: false }));
region.geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(rows * columns * 3), 3));
region.geometry.setAttribute("color", new THREE.BufferAttribute(new Float32Array(rows * columns * 3), 3));
region.geometry.setIndex(Array.from({ length: (rows - 1) * (columns - 1) }, (_, i) => {
  const a = Math.floor(i / (columns - 1)) * columns + i % (columns - 1), b = a + columns;
  return [a, b, b + 1, a, b + 1, a + 1];
}).flat());
scene.add(region);
const cone = new THREE.LineSegments(new THREE.BufferGeometry(), new THREE.LineBasicMaterial({ color: "#9db0a3" }));
scene.add(cone);
// Impulses are seen through the region.
const look = law => ({ color: law.colour, depthTest: false, transparent: true });
for (const law of laws) {
  law.dot = new THREE.Mesh(new THREE.SphereGeometry(0.012, 16, 12), new THREE.MeshBasicMaterial(look(law)));
  law.curve = new THREE.Line(new THREE.BufferGeometry(), new THREE.LineBasicMaterial(look(law)));
  law.curve.geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(CURVE * 3), 3));
  law.dot.renderOrder = law.curve.renderOrder = 1;
  scene.add(law.dot, law.curve);
}

/// The law's answer; the numbers are those of Answer in space.cpp.
function solve(law, restitution = -1) {
  const [status, ...of] = doubles(carom.solve(law, restitution), 11);
  return { status, p: of.slice(0, 3), u: of.slice(3, 6), margins: of.slice(6, 10) };
}

function drawRegion() {
  const found = new Float32Array(carom.memory.buffer, carom.find_boundary(), rows * columns * 4);
  const { position, color } = region.geometry.attributes;
  for (let i = 0; i < rows * columns; ++i) {
    position.setXYZ(i, ...found.subarray(4 * i, 4 * i + 3));
    FACES[found[4 * i + 3]].toArray(color.array, 3 * i);
  }
  position.needsUpdate = color.needsUpdate = true;
  region.geometry.computeVertexNormals();
  region.geometry.computeBoundingSphere();
  axes.scale.setScalar(1.5 * region.geometry.boundingSphere.radius);
  const friction = setting[0], top = region.geometry.boundingSphere.center.z, points = [];
  for (let angle = 0; angle < 360; angle += 15)
    points.push(0, 0, 0, friction * top * Math.cos(angle * DEGREE), friction * top * Math.sin(angle * DEGREE), top);
  cone.geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(points), 3));
}

function drawLaws() {
  const energy = carom.contact_energy(), table = document.querySelector("tbody");
  table.replaceChildren();
  laws.forEach((law, i) => {
    const { position } = law.curve.geometry.attributes;
    for (let j = 0; j < CURVE; ++j) position.setXYZ(j, ...solve(i, j / (CURVE - 1)).p);
    position.needsUpdate = true;
    law.curve.geometry.computeBoundingSphere();
    law.answer = solve(i);
    const { p, u, margins } = law.answer;
    law.dot.position.set(...p);
    const inside = Math.min(margins[0] / energy, ...margins.slice(1)) > -1e-9;
    const row = table.insertRow(), name = row.insertCell(), mark = document.createElement("i");
    mark.style.background = law.colour;
    name.append(mark, law.name);
    for (const number of [...p, ...u]) row.insertCell().textContent = number.toFixed(3).replace(/^-(0\.0*)$/, "$1");
    row.insertCell().textContent = (100 * margins[0] / energy).toFixed(1) + " %";
    row.insertCell().textContent = inside ? "yes" : "no";
  });
}

const setting = doubles(carom.setting_at(), SLIDERS.length + 1);
let waits = false;
function draw() {
  waits = false;
  carom.collide();
  drawRegion();
  drawLaws();
  controls.update();
  renderer.render(scene, camera);
}
function ask() {
  if (!waits) requestAnimationFrame(draw);
  waits = true;
}

const form = document.querySelector("form");
SLIDERS.forEach((slider, i) => {
  const label = document.createElement("label"), shown = document.createElement("output"), input = document.createElement("input");
  Object.assign(input, { type: "range", min: slider.low, max: slider.high, step: (slider.high - slider.low) / 300, value: slider.value });
  const read = () => {
    setting[i] = input.valueAsNumber * (slider.unit ?? 1);
    shown.textContent = input.valueAsNumber.toFixed(slider.unit ? 0 : 2);
    ask();
  };
  input.addEventListener("input", read);
  label.append(slider.text, shown, input);
  form.append(label);
  read();
});
const label = document.createElement("label"), choice = document.createElement("select");
RESTITUTION_LAWS.forEach(name => choice.add(new Option(name)));
choice.addEventListener("input", () => { setting[SLIDERS.length] = choice.selectedIndex; ask(); });
label.append("restitution of the incremental law", choice);
form.append(label);

new ResizeObserver(() => {
  renderer.setPixelRatio(devicePixelRatio);
  renderer.setSize(canvas.clientWidth, canvas.clientWidth, false);
  ask();
}).observe(canvas);
controls.addEventListener("change", () => renderer.render(scene, camera));
draw();
const { center, radius } = region.geometry.boundingSphere;
controls.target.copy(center);
camera.position.copy(center).add(new THREE.Vector3(0.55, -0.85, 0.45).multiplyScalar(3.4 * radius));
draw();
window.impulseSpace = { laws, draw, energy: () => carom.contact_energy() };
