"""scikit-learn: pipelines, cross validation, grids of parameters, clusters, trees, text."""

import numpy as np
from sklearn.cluster import KMeans
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import PCA
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.metrics import classification_report, confusion_matrix, r2_score
from sklearn.model_selection import GridSearchCV, cross_val_score, train_test_split
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, PolynomialFeatures, StandardScaler

rng = np.random.RandomState(0)
x = np.vstack([rng.normal(c, 0.8, (80, 3)) for c in (0, 3, 6)])
y = np.repeat(np.arange(3), 80)
train, test, truth, held = train_test_split(x, y, test_size=0.25, random_state=1, stratify=y)
model = make_pipeline(StandardScaler(), LogisticRegression())
model.fit(train, truth)
print(classification_report(held, model.predict(test)), confusion_matrix(held, model.predict(test)), model.predict_proba(test)[:2].round(4))
print(cross_val_score(RandomForestClassifier(20, random_state=0), x, y, cv=3).round(4), sorted(KMeans(3, n_init=3, random_state=0).fit(x).cluster_centers_[:, 0].round(3)))
grid = GridSearchCV(Ridge(), {"alpha": np.logspace(-3, 1, 5)}, cv=4).fit(x, x @ np.array([1.0, -2.0, 0.5]) + rng.normal(0, 0.1, 240))
print(grid.best_params_, grid.best_score_.round(6), np.round(grid.cv_results_["mean_test_score"], 5))
print(np.abs(PCA(2).fit_transform(x))[:2].round(5), PolynomialFeatures(2).fit_transform(np.arange(4).reshape(2, 2)))
line = LinearRegression().fit(np.arange(10).reshape(-1, 1), 3 * np.arange(10) + 1)
print(line.coef_.round(6), line.intercept_.round(6), round(r2_score(np.arange(10), line.predict(np.arange(10)[:, None])), 3))
print(KNeighborsRegressor(3).fit(x, x[:, 0]).predict(x[:2]).round(6), TfidfVectorizer().fit_transform(["a weft thread", "a warp thread"]).toarray().round(4))
print(ColumnTransformer([("kind", OneHotEncoder(), [0])], remainder="passthrough").fit_transform(np.array([[1, 5], [2, 6], [1, 7]])))
