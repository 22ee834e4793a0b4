"""opencv-python-headless: filters, shapes, warps, drawing into arrays, codecs."""

import cv2
import numpy as np

rng = np.random.default_rng(8)
image = np.zeros((100, 120, 3), np.uint8)
cv2.rectangle(image, (20, 30), (60, 70), (255, 128, 0), -1)
cv2.circle(image, (90, 50), 15, (0, 255, 0), 2)
cv2.putText(image, "weft", (5, 95), cv2.FONT_HERSHEY_SIMPLEX, 0.6, (255, 255, 255), 1)
print(image.sum(axis=(0, 1)), image[50, 40])
gray = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
_, black = cv2.threshold(gray, 50, 255, cv2.THRESH_BINARY)
contours, _ = cv2.findContours(black, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
print(len(contours), sorted(cv2.contourArea(c) for c in contours)[-2:], cv2.boundingRect(max(contours, key=cv2.contourArea)))
print(cv2.GaussianBlur(image, (5, 5), 0).mean().round(4), cv2.Canny(gray, 50, 150).sum(), cv2.resize(image, (60, 50)).shape, cv2.medianBlur(gray, 3).sum())
kernel = np.ones((3, 3), np.float32) / 9
print(cv2.filter2D(gray, -1, kernel).sum(), cv2.erode(black, np.ones((3, 3), np.uint8)).sum(), cv2.Sobel(gray, cv2.CV_64F, 1, 0).sum())
turn = cv2.getRotationMatrix2D((60, 50), 30, 1.0)
print(turn.round(5), cv2.warpAffine(gray, turn, (120, 100)).sum() > 0, cv2.perspectiveTransform(np.array([[[1.0, 2.0]]]), np.eye(3) * 2))
print(cv2.calcHist([gray], [0], None, [4], [0, 256]).ravel(), cv2.minMaxLoc(gray), cv2.countNonZero(gray), cv2.norm(np.array([3.0, 4.0])))
done, code = cv2.imencode(".png", image)
print(done, np.array_equal(cv2.imdecode(code, cv2.IMREAD_COLOR), image), cv2.addWeighted(image, 0.5, image, 0.5, 0).sum(), cv2.split(image)[0].sum())
line = cv2.fitLine(np.stack([np.arange(10), 2 * np.arange(10)], axis=1).astype(np.float32), cv2.DIST_L2, 0, 0.01, 0.01)
print(line.ravel().round(4), cv2.solve(np.array([[2.0, 0], [0, 4]]), np.array([[2.0], [4]]))[1].ravel(), cv2.dft(np.arange(4.0)).ravel().round(4))
picked = cv2.bitwise_and(image, image, mask=black)
print(picked.sum(), cv2.inRange(image, np.array([200, 100, 0]), np.array([255, 255, 255])).sum(), cv2.kmeans(np.float32(np.r_[np.zeros((5, 1)), np.ones((5, 1)) * 9]), 2, None, (3, 10, 1.0), 1, cv2.KMEANS_PP_CENTERS)[0])
